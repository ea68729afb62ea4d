/** The types of logins and their options. The logins themselves are in adapters/sessions/logins. */
import type { OptionsByType, OptionTable, OptionValues } from '../options.js';

const USER = { value: 'nonEmptyText', meaning: 'user name.', variables: true } as const;
const PASSWORD = { value: 'text', meaning: 'password.', secret: true } as const;

const REQUIRED_PASSWORD = {
  user: { ...USER, required: true },
  password: { ...PASSWORD, required: true },
} as const satisfies OptionTable;

/** Options of logins that fill in forms, with or without a browser. */
const FORM_OPTIONS = {
  page: { value: 'httpUrl', meaning: 'page with the login form. Default: `url`.' },
  sendTo: {
    value: 'text',
    meaning:
      'further origins (scheme, host and port, separated by spaces) to which credentials may be sent, for example a sign-in server.',
  },
  successSelector: {
    value: 'text',
    meaning:
      'CSS selector of an element that is on the page after a successful login. If it is on the page in `check`, too, it also shows later that the session is alive.',
  },
  successText: {
    value: 'text',
    meaning: 'text on the page after a successful login; used like `successSelector`.',
  },
  refusedText: { value: 'text', meaning: 'text on the page if the password is wrong.' },
  lockedText: { value: 'text', meaning: 'text on the page if the account is locked.' },
  sessionLifetimeS: {
    value: 'durationS',
    meaning: 'how long a session lasts, in seconds; the login is renewed shortly before its end.',
  },
  logoutUrls: {
    value: 'text',
    meaning:
      'URLs that end the session and are never visited, separated by spaces; `*` stands for any characters. Common words for logging out are recognized without it.',
  },
} as const satisfies OptionTable;

/** In the order in which the reference lists them. */
export const LOGIN_TYPES = {
  form: {
    options: {
      user: USER,
      password: PASSWORD,
      page: FORM_OPTIONS.page,
      form: {
        value: 'text',
        meaning:
          'name, id or CSS selector of the form, if there is no LoginStep. Default: the form with a password field.',
      },
      sendTo: FORM_OPTIONS.sendTo,
      successSelector: FORM_OPTIONS.successSelector,
      successCookie: { value: 'nonEmptyText', meaning: 'cookie that a successful login sets.' },
      successStatus: { value: 'httpStatus', meaning: 'status of the response to a successful login.' },
      successText: FORM_OPTIONS.successText,
      refusedText: FORM_OPTIONS.refusedText,
      lockedText: FORM_OPTIONS.lockedText,
      loggedOut: {
        value: 'text',
        meaning:
          'piece of HTML that pages contain only for visitors who are not logged in, whatever their status. If this is not set, pages with all fields of the login form that are filled in are suspected.',
      },
      tokenPath: {
        value: 'nonEmptyText',
        meaning:
          'where the JSON response to the last step contains a token, such as `data.token`. Pages are then requested with `Authorization: Bearer` and this token.',
      },
      csrfCookie: {
        value: 'nonEmptyText',
        meaning: 'cookie whose value a script of the site would send as a header with each step, such as `XSRF-TOKEN`.',
      },
      csrfHeader: {
        value: 'headerName',
        meaning: 'name of that header. Default: `X-` and the name of the cookie.',
      },
      sessionLifetimeS: FORM_OPTIONS.sessionLifetimeS,
      logoutUrls: FORM_OPTIONS.logoutUrls,
    },
  },
  browser: {
    options: {
      user: USER,
      password: PASSWORD,
      page: FORM_OPTIONS.page,
      steps: {
        value: 'text',
        meaning:
          'what to do in the browser, separated by semicolons: `click SELECTOR`, `click? SELECTOR` (if there is such an element), `fill SELECTOR with NAME` (`user`, `password` or the name of a LoginField), `wait SELECTOR`, `wait SECONDS`, `goto URL`.',
        required: true,
      },
      sendTo: FORM_OPTIONS.sendTo,
      successSelector: FORM_OPTIONS.successSelector,
      successText: FORM_OPTIONS.successText,
      refusedText: FORM_OPTIONS.refusedText,
      lockedText: FORM_OPTIONS.lockedText,
      loggedOut: {
        value: 'text',
        meaning: 'piece of HTML that pages contain only for visitors who are not logged in, whatever their status.',
      },
      sessionLifetimeS: FORM_OPTIONS.sessionLifetimeS,
      logoutUrls: FORM_OPTIONS.logoutUrls,
    },
  },
  basic: { options: REQUIRED_PASSWORD },
  digest: { options: REQUIRED_PASSWORD },
  ntlm: {
    options: { ...REQUIRED_PASSWORD, domain: { value: 'nonEmptyText', meaning: 'Windows domain of the user.' } },
  },
  negotiate: {
    options: {
      service: { value: 'nonEmptyText', meaning: 'name of the service. Default: `HTTP@` and the host.' },
      principal: {
        value: 'nonEmptyText',
        meaning:
          'principal that logs in. Default: the one in the keytab. Realms are taken from the Kerberos configuration (KRB5_CONFIG).',
      },
      keytab: { value: 'fileName', meaning: 'file with the keys of the principal. Default: KRB5_CLIENT_KTNAME.' },
    },
  },
  bearer: { options: { token: { value: 'nonEmptyText', meaning: 'the token.', required: true, secret: true } } },
  oauth2: {
    options: {
      tokenUrl: { value: 'httpUrl', meaning: 'token endpoint for client credentials.', required: true },
      clientId: { value: 'nonEmptyText', meaning: 'client ID.', required: true, variables: true },
      clientSecret: { value: 'text', meaning: 'client secret.', required: true, secret: true },
      scope: { value: 'text', meaning: 'scopes to request, separated by spaces.' },
      audience: { value: 'nonEmptyText', meaning: 'audience to request.' },
      clientAuthentication: {
        value: ['basic', 'body'],
        meaning: 'where the token endpoint expects the client ID and the client secret.',
        default: 'basic',
      },
    },
  },
  certificate: {
    options: {
      certificate: {
        value: 'fileName',
        meaning: 'PEM file with the client certificate and its chain.',
        required: true,
      },
      key: { value: 'fileName', meaning: 'PEM file with the private key.', required: true },
      passphrase: { value: 'text', meaning: 'passphrase of the private key, if it is encrypted.', secret: true },
    },
  },
  header: {
    options: {
      header: { value: 'headerName', meaning: 'name of the header.', required: true },
      value: { value: 'headerValue', meaning: 'value of the header.', required: true, secret: true },
    },
  },
} as const satisfies OptionsByType;

export type LoginType = keyof typeof LOGIN_TYPES;

/** Values of the attributes of a `Login` element that not every type has. */
export type LoginOptions = { readonly [T in LoginType]: OptionValues<(typeof LOGIN_TYPES)[T]['options']> };

export const LOGIN_TYPE_NAMES = Object.keys(LOGIN_TYPES) as LoginType[];
