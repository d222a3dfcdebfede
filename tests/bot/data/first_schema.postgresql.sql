CREATE TABLE public.events (
    id character varying(255) NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.feedback (
    id integer NOT NULL,
    question character varying(32) NOT NULL,
    person character varying(64) NOT NULL,
    verdict character varying(10) NOT NULL,
    words text NOT NULL,
    at double precision NOT NULL
);
CREATE SEQUENCE public.feedback_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.feedback_id_seq OWNED BY public.feedback.id;
CREATE TABLE public.questions (
    id character varying(32) NOT NULL,
    platform character varying(20) NOT NULL,
    asker_id character varying(64) NOT NULL,
    asker text NOT NULL,
    place text NOT NULL,
    message_key character varying(255) NOT NULL,
    thread_key character varying(255) NOT NULL,
    door character varying(20) NOT NULL,
    unasked boolean NOT NULL,
    text text NOT NULL,
    attachments text NOT NULL,
    run_with text NOT NULL,
    state character varying(10) NOT NULL,
    revision integer NOT NULL,
    showing boolean NOT NULL,
    card text,
    answer text,
    solved boolean NOT NULL,
    asked_at double precision NOT NULL,
    done_at double precision
);
CREATE TABLE public.threads (
    key character varying(255) NOT NULL,
    team_spoke boolean NOT NULL,
    at double precision NOT NULL
);
ALTER TABLE ONLY public.feedback ALTER COLUMN id SET DEFAULT nextval('public.feedback_id_seq'::regclass);
INSERT INTO public.events VALUES ('e1', 1795311981.7646992);
INSERT INTO public.events VALUES ('e2', 1795311981.9305856);
INSERT INTO public.feedback VALUES (1, 'e86f40ed8d7441e4', 'U1', 'solved', '', 1795311981.9032495);
INSERT INTO public.questions VALUES ('e86f40ed8d7441e4', 'slack', 'U1', '{"id":"U1","name":"maya","groups":[]}', '{"platform":"slack","workspace":"T","channel":"C","thread":"1.1","message":"1.1","via":"","private":false,"person":""}', 'slack:C:1.1', 'slack:C:1.1', 'mention', false, 'why is ''x'' nan? 🧪', '[{"name":"x.py","size":3,"url":"http://f/x.py"}]', '{"device":null,"seed":0,"cold":false}', 'done', 0, true, '{"channel":"C","message":"1.2","via":""}', '{"status":"runs","headline":"Runs here.","error":null,"explanation":null,"culprit":null,"findings":[],"assumptions":[],"why":null,"fix":null,"alternatives":[],"refused":[],"sources":[],"run":null,"evidence":null,"timings_ms":{"parse":0.0,"run":0.0,"search":0.0,"fix":0.0,"total":0.0}}', true, 1795311981.7722101, 1795311981.880081);
INSERT INTO public.questions VALUES ('858b48c4cd54d243', 'slack', 'U2', '{"id":"U2","name":"maya","groups":[]}', '{"platform":"slack","workspace":"T","channel":"C","thread":"2.1","message":"2.1","via":"","private":false,"person":""}', 'slack:C:2.1', 'slack:C:2.1', 'mention', false, 'still open', '[{"name":"x.py","size":3,"url":"http://f/x.py"}]', '{"device":null,"seed":0,"cold":false}', 'open', 0, false, NULL, NULL, false, 1795311981.932014, NULL);
INSERT INTO public.threads VALUES ('slack:C:1.1', true, 1795311981.970121);
SELECT pg_catalog.setval('public.feedback_id_seq', 1, true);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.questions
    ADD CONSTRAINT questions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (key);
CREATE INDEX ix_events_at ON public.events USING btree (at);
CREATE INDEX ix_feedback_question ON public.feedback USING btree (question);
CREATE INDEX ix_questions_asked_at ON public.questions USING btree (asked_at);
CREATE INDEX ix_questions_message_key ON public.questions USING btree (message_key);
CREATE INDEX ix_questions_thread_key ON public.questions USING btree (thread_key);
CREATE INDEX ix_threads_at ON public.threads USING btree (at);
CREATE INDEX questions_open ON public.questions USING btree (platform, state);
