BEGIN TRANSACTION;
CREATE TABLE events (
	id VARCHAR(255) NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "events" VALUES('e1',1.79531195784670805928e+09);
INSERT INTO "events" VALUES('e2',1.7953119578908491135e+09);
CREATE TABLE feedback (
	id INTEGER NOT NULL, 
	question VARCHAR(32) NOT NULL, 
	person VARCHAR(64) NOT NULL, 
	verdict VARCHAR(10) NOT NULL, 
	words TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "feedback" VALUES(1,'46779c44fb04f270','U1','solved','',1.79531195788670611384e+09);
CREATE TABLE questions (
	id VARCHAR(32) NOT NULL, 
	platform VARCHAR(20) NOT NULL, 
	asker_id VARCHAR(64) NOT NULL, 
	asker TEXT NOT NULL, 
	place TEXT NOT NULL, 
	message_key VARCHAR(255) NOT NULL, 
	thread_key VARCHAR(255) NOT NULL, 
	door VARCHAR(20) NOT NULL, 
	unasked BOOLEAN NOT NULL, 
	text TEXT NOT NULL, 
	attachments TEXT NOT NULL, 
	run_with TEXT NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	revision INTEGER NOT NULL, 
	showing BOOLEAN NOT NULL, 
	card TEXT, 
	answer TEXT, 
	solved BOOLEAN NOT NULL, 
	asked_at FLOAT NOT NULL, 
	done_at FLOAT, 
	PRIMARY KEY (id)
);
INSERT INTO "questions" VALUES('46779c44fb04f270','slack','U1','{"id":"U1","name":"maya","groups":[]}','{"platform":"slack","workspace":"T","channel":"C","thread":"1.1","message":"1.1","via":"","private":false,"person":""}','slack:C:1.1','slack:C:1.1','mention',0,'why is ''x'' nan? 🧪','[{"name":"x.py","size":3,"url":"http://f/x.py"}]','{"device":null,"seed":0,"cold":false}','done',0,1,'{"channel":"C","message":"1.2","via":""}','{"status":"runs","headline":"Runs here.","error":null,"explanation":null,"culprit":null,"findings":[],"assumptions":[],"why":null,"fix":null,"alternatives":[],"refused":[],"sources":[],"run":null,"evidence":null,"timings_ms":{"parse":0.0,"run":0.0,"search":0.0,"fix":0.0,"total":0.0}}',1,1.79531195784817337989e+09,1.795311957878995657e+09);
INSERT INTO "questions" VALUES('ee1222ae5f0e37fb','slack','U2','{"id":"U2","name":"maya","groups":[]}','{"platform":"slack","workspace":"T","channel":"C","thread":"2.1","message":"2.1","via":"","private":false,"person":""}','slack:C:2.1','slack:C:2.1','mention',0,'still open','[{"name":"x.py","size":3,"url":"http://f/x.py"}]','{"device":null,"seed":0,"cold":false}','open',0,0,NULL,NULL,0,1.79531195789159274097e+09,NULL);
CREATE TABLE threads (
	"key" VARCHAR(255) NOT NULL, 
	team_spoke BOOLEAN NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "threads" VALUES('slack:C:1.1',1,1.79531195790340852738e+09);
CREATE INDEX ix_events_at ON events (at);
CREATE INDEX ix_questions_message_key ON questions (message_key);
CREATE INDEX ix_questions_asked_at ON questions (asked_at);
CREATE INDEX questions_open ON questions (platform, state);
CREATE INDEX ix_questions_thread_key ON questions (thread_key);
CREATE INDEX ix_feedback_question ON feedback (question);
CREATE INDEX ix_threads_at ON threads (at);
COMMIT;
