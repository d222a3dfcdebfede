"""The host side: takes jobs in, gives them slots, reads the verdict, answers over HTTP."""
