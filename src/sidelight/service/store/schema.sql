-- One schema for both databases. A line that ends in "-- sqlite" or "-- postgres" is for that one alone; BLOB is
-- spelled BYTEA in PostgreSQL. Times are seconds since 1970, truth values 0 and 1, JSON is ASCII text.

CREATE TABLE schema_version (version BIGINT NOT NULL);

CREATE TABLE monitors (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,           -- JSON: {"monitor": arguments of ClassifierMonitor, "service": service settings}
    rule BIGINT NOT NULL,             -- sidelight.monitor.RULE of whoever decides
    last BIGINT NOT NULL,             -- number of the last journal entry
    chain BLOB NOT NULL,              -- and its chain
    base BIGINT NOT NULL,             -- entries up to this one are pruned; the sealed snapshot with this number stands for them
    created_at DOUBLE PRECISION NOT NULL,
    archived_at DOUBLE PRECISION
);
CREATE UNIQUE INDEX monitors_name ON monitors (name) WHERE archived_at IS NULL;

CREATE TABLE journal (
    monitor TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    key BLOB,                         -- of the prediction that a decision is about
    at DOUBLE PRECISION NOT NULL,
    actor TEXT NOT NULL,
    body TEXT NOT NULL,
    chain BLOB NOT NULL,
    PRIMARY KEY (monitor, number)
)
WITHOUT ROWID -- sqlite
;
CREATE UNIQUE INDEX journal_key ON journal (key) WHERE key IS NOT NULL;

CREATE TABLE snapshots (
    monitor TEXT NOT NULL,
    number BIGINT NOT NULL,
    rule BIGINT NOT NULL,
    chain BLOB NOT NULL,
    sha256 BLOB NOT NULL,             -- of `state`, uncompressed
    sealed BIGINT NOT NULL,
    state BLOB NOT NULL,              -- JSON, compressed with zlib
    PRIMARY KEY (monitor, number)
);

-- The predictions to verify; `number` counts the verifications of a monitor.
CREATE TABLE verifications (
    monitor TEXT NOT NULL,
    number BIGINT NOT NULL,
    key BLOB NOT NULL,
    id TEXT NOT NULL,
    class TEXT NOT NULL,              -- JSON: text or a number
    reason BIGINT NOT NULL,           -- place in sidelight.monitor.decisions.REASONS
    state TEXT NOT NULL,              -- open, answered, skipped, overdue, forgotten, deleted
    revision BIGINT NOT NULL,         -- rises with every change of the state or the answer
    asked_at DOUBLE PRECISION NOT NULL,
    correct BIGINT,                   -- the settled answer
    label TEXT,                       -- JSON: the true class, where it was given
    settled_at DOUBLE PRECISION,
    settled_by TEXT,
    PRIMARY KEY (monitor, number)
)
WITHOUT ROWID -- sqlite
;
CREATE UNIQUE INDEX verifications_key ON verifications (key);
CREATE INDEX verifications_open ON verifications (monitor, number) WHERE state IN ('open', 'overdue');

-- Who reviews a verification: as many slots as the monitor wants reviews.
CREATE TABLE slots (
    monitor TEXT NOT NULL,
    verification BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    reviewer TEXT,
    lease_until DOUBLE PRECISION,
    answer TEXT,                      -- JSON: {"correct": ...}, {"label": ...} or {"skipped": true}
    answered_at DOUBLE PRECISION,
    PRIMARY KEY (monitor, verification, slot),
    UNIQUE (monitor, verification, reviewer)
);
CREATE INDEX slots_reviewer ON slots (reviewer, answered_at);

CREATE TABLE payloads (
    monitor TEXT NOT NULL,
    verification BIGINT NOT NULL,
    media_type TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (monitor, verification)
);

-- How the classes developed, for charts: not at every answer, see sidelight.service.domain.history.
CREATE TABLE history (
    monitor TEXT NOT NULL,
    class TEXT NOT NULL,
    number BIGINT NOT NULL,           -- of the journal entry
    at DOUBLE PRECISION NOT NULL,
    predictions BIGINT NOT NULL,
    asked BIGINT NOT NULL,
    counted BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    low DOUBLE PRECISION NOT NULL,
    high DOUBLE PRECISION NOT NULL,
    verdict TEXT NOT NULL,
    PRIMARY KEY (monitor, class, number)
);

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,             -- the visible beginning of the key
    sha256 BLOB NOT NULL UNIQUE,
    scopes TEXT NOT NULL,             -- JSON list
    monitors TEXT,                    -- JSON list of monitor ids; NULL for all
    created_at DOUBLE PRECISION NOT NULL,
    created_by TEXT NOT NULL,
    expires_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION,
    used_at DOUBLE PRECISION
);

CREATE TABLE reviewers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    password TEXT,                    -- Argon2id; NULL until it is chosen
    subject TEXT UNIQUE,              -- who they are to the provider of single sign-on: issuer, space, subject
    scopes TEXT NOT NULL,             -- JSON list
    monitors TEXT,                    -- JSON list of monitor ids; NULL for all
    preferences TEXT NOT NULL,        -- JSON
    created_at DOUBLE PRECISION NOT NULL,
    disabled_at DOUBLE PRECISION
);

-- Sessions and links to sign in with: only their hashes are kept.
CREATE TABLE sessions (
    sha256 BLOB PRIMARY KEY,
    kind TEXT NOT NULL,               -- session, link
    reviewer TEXT,                    -- NULL: a link for the first administrator
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX sessions_reviewer ON sessions (reviewer);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    format TEXT NOT NULL,             -- generic, slack, pagerduty
    events TEXT NOT NULL,             -- JSON list
    monitors TEXT,                    -- JSON list of monitor ids; NULL for all
    secret TEXT NOT NULL,             -- signs generic messages; for PagerDuty, the routing key
    created_at DOUBLE PRECISION NOT NULL,
    created_by TEXT NOT NULL,
    disabled_at DOUBLE PRECISION,
    failure TEXT
);

CREATE TABLE outbox (
    endpoint TEXT NOT NULL,
    event TEXT NOT NULL,              -- the id of the message, for the receiver to notice repeats
    monitor TEXT NOT NULL,
    number BIGINT NOT NULL,           -- the journal entry that it is about
    bytes BLOB NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    next_at DOUBLE PRECISION NOT NULL,
    tries BIGINT NOT NULL,
    sent_at DOUBLE PRECISION,
    failure TEXT,
    PRIMARY KEY (endpoint, event)
);
CREATE INDEX outbox_waiting ON outbox (next_at) WHERE sent_at IS NULL;

CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL              -- JSON
);
CREATE INDEX audit_at ON audit (at, id);

-- Timed duties run in one process at a time: whoever holds the row.
CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL,
    next_at DOUBLE PRECISION NOT NULL
);
