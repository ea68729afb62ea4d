/** How the crawler logs in to sites that require it. Plain data, read from `cw:Login`. */
import type { Secret } from '../secret.js';
import type { BrowserLoginStep } from './browser-login-steps.js';
import type { LoginOptions, LoginType } from './login-types.js';
import type { Place } from './place.js';

export interface LoginBase {
  /** Unique across all fetchers. */
  readonly name: string;
  /** URL prefix to which the login applies; nothing of it is sent to other URLs. */
  readonly url: string;
  /** URL requested to check whether the login works; default: the prefix itself. */
  readonly check: string;
  /** Maximum number of logins within an hour that are not due to the known lifetime of a session. */
  readonly maxLoginsPerHour: number;
  readonly place: Place;
}

export interface LoginField {
  /** Name of the field, or a CSS selector. */
  readonly name: string;
  readonly value: Secret;
  /** Set if the value is a secret from which one-time passwords are computed (RFC 6238). */
  readonly isTotp?: boolean;
}

/**
 * Placeholders for the two fields that most login forms have: the password and the field before it. No real field has
 * such a name.
 */
export const USER_FIELD = ':user';
export const PASSWORD_FIELD = ':password';

export interface LoginStep {
  /** Name, id or CSS selector of the form; if absent, the form that has the fields. */
  readonly form?: string;
  readonly fields: readonly LoginField[];
  /** URL to which the fields are sent as JSON, instead of submitting a form. */
  readonly json?: string;
}

/** Conditions for a successful login; all that are given must hold. */
interface LoginSuccess {
  readonly selector?: string;
  readonly cookie?: string;
  readonly status?: number;
  readonly text?: string;
}

interface Keytab {
  /** Absolute path. */
  readonly path: string;
  /** SHA-256 of its content in hexadecimal: a different digest means a different secret. */
  readonly digest: string;
}

/** What logins have instead of their options, where those name files or are completed by elements. */
interface ConvertedOptions {
  readonly negotiate: Omit<LoginOptions['negotiate'], 'keytab'> & {
    /** Default: the keytab in the environment (KRB5_CLIENT_KTNAME). */
    readonly keytab?: Keytab;
  };
  readonly certificate: {
    /** In PEM. */
    readonly certificate: string;
    readonly key: Secret;
  };
  readonly form: SessionOptions &
    Pick<LoginOptions['form'], 'tokenPath' | 'csrfCookie' | 'csrfHeader'> & { readonly steps: readonly LoginStep[] };
  readonly browser: SessionOptions & {
    readonly steps: readonly BrowserLoginStep[];
    /** What the steps fill in, by name. */
    readonly fields: readonly LoginField[];
  };
}

/** Options of logins whose session is a set of cookies. */
type SessionOptions = Pick<LoginOptions['form'], 'refusedText' | 'lockedText' | 'loggedOut' | 'sessionLifetimeS'> & {
  /** URL of the page where the login begins. */
  readonly page: string;
  readonly success: LoginSuccess;
  /** Origins to which credentials may be sent, in addition to the page's own. */
  readonly sendTo: readonly string[];
  /** Patterns of URLs that end the session. */
  readonly logoutUrls: readonly string[];
  /** Whether credentials may be sent unencrypted. */
  readonly insecure: boolean;
};

export type ConvertedLoginType = keyof ConvertedOptions;

type Definitions = {
  readonly [T in LoginType]: LoginBase & { readonly type: T } & (T extends ConvertedLoginType
      ? ConvertedOptions[T]
      : LoginOptions[T]);
};

export type LoginDefinitionOf<T extends LoginType> = Definitions[T];

export type LoginDefinition = Definitions[LoginType];

/** The value of the option `login` that switches logins off. */
export const NO_LOGIN = 'none';

interface Prefix {
  readonly origin: string;
  readonly path: string;
  readonly login: LoginDefinition;
}

export type LoginChooser = (href: string, option?: string) => LoginDefinition | undefined;

/**
 * Chooses the login for a URL: among those whose prefix matches, the one that the option names, or the one with the
 * longest prefix.
 */
export function createLoginChooser(logins: readonly LoginDefinition[]): LoginChooser | undefined {
  if (logins.length === 0) return undefined;
  const prefixes = logins
    .flatMap((login): Prefix[] => {
      const url = URL.parse(login.url);
      return url ? [{ origin: url.origin, path: url.pathname + url.search, login }] : [];
    })
    .sort((a, b) => b.path.length - a.path.length);
  return (href, option) => {
    if (option === NO_LOGIN) return undefined;
    const url = URL.parse(href);
    if (!url) return undefined;
    const path = url.pathname + url.search;
    const matchesPrefix = (prefix: Prefix): boolean => prefix.origin === url.origin && path.startsWith(prefix.path);
    return prefixes.find((prefix) => matchesPrefix(prefix) && (option === undefined || prefix.login.name === option))
      ?.login;
  };
}
