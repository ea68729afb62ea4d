/** Names under which Nest provides what engine.module.ts has created. */

/** An `EngineApi`. */
export const ENGINE = Symbol('engine');
/** A `ConfigurationFormat`. */
export const CONFIGURATION_FORMAT = Symbol('configuration format');
/** A `ConfigurationFile`. */
export const CONFIGURATION_FILE = Symbol('configuration file');
/** A `ConfigurationHistory`. */
export const CONFIGURATION_HISTORY = Symbol('configuration history');
/** An `AuditLog`. */
export const AUDIT_LOG = Symbol('audit log');
/** A `KeyStore`. */
export const KEY_STORE = Symbol('key store');
/** A `SecretStore`. */
export const SECRET_STORE = Symbol('secret store');
/** A `SessionStore`. */
export const SESSION_STORE = Symbol('session store');
/** A `SignIn`; undefined if single sign-on is not configured. */
export const SIGN_IN = Symbol('sign-in');
/** A `Log`. */
export const LOG = Symbol('log');
/** A `Clock`. */
export const CLOCK = Symbol('clock');
/** A `CreateKeyDirectory`. */
export const KEY_DIRECTORY = Symbol('key directory');
/** The `ServerOptions` of this process. */
export const OPTIONS = Symbol('options');
/** Address of the bundled index's search page; empty if the index is not running. */
export const SEARCH_PAGE = Symbol('search page');
/** A `DocumentMapper`. */
export const MAP_DOCUMENT = Symbol('map document');
/** A `SinkTester`. */
export const TEST_SINK = Symbol('test sink');
/** Path prefix of the calls of the API. */
export const API = 'api/v1';

/** All tokens that a module must provide for the application to start. */
export const PART_TOKENS = [
  ENGINE,
  CONFIGURATION_FILE,
  CONFIGURATION_FORMAT,
  CONFIGURATION_HISTORY,
  AUDIT_LOG,
  KEY_STORE,
  SECRET_STORE,
  SESSION_STORE,
  LOG,
  CLOCK,
  KEY_DIRECTORY,
  OPTIONS,
  SEARCH_PAGE,
  MAP_DOCUMENT,
  TEST_SINK,
] as const;
