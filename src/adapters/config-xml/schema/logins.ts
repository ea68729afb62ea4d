/** Logins of fetchers (docs/LOGINS.md). */
import { LOGIN_TYPES } from '../../../domain/crawl/logins.js';
import * as t from '../value-types.js';
import { attribute, elementFactory } from './spec.js';

const element = elementFactory('cw');

export const LOGIN = element(
  'Login',
  'How the fetcher logs in at the URLs with a prefix (docs/LOGINS.md). If there are several, the longest prefix wins; the option `login` of a condition chooses by name.',
  {
    name: attribute(t.name, 'Name, unique across all fetchers.', { required: true }),
    type: attribute(t.enumeration(LOGIN_TYPES), 'How to log in.', { required: true }),
    url: attribute(t.httpUrl, 'Prefix of the URLs for which it is used. Nothing of the login is sent to other URLs.', {
      required: true,
    }),
    insecure: attribute(t.boolean, 'Send the login without TLS, too. Anyone on the network path can read it.', {
      default: 'false',
    }),
    check: attribute(t.httpUrl, 'URL to request in order to check whether the login works. Default: `url`.'),
    user: attribute(t.word, '`basic`, `digest`, `ntlm`, `form`: user name.', { variables: true }),
    password: attribute(t.text, '`basic`, `digest`, `ntlm`, `form`: password.', { secret: true }),
    domain: attribute(t.word, '`ntlm`: Windows domain of the user.'),
    token: attribute(t.word, '`bearer`: the token.', { secret: true }),
    header: attribute(t.headerName, '`header`: name of the header.'),
    value: attribute(t.headerValue, '`header`: value of the header.', { secret: true }),
    tokenUrl: attribute(t.httpUrl, '`oauth2`: token endpoint for client credentials.'),
    clientId: attribute(t.word, '`oauth2`: name of the client.', { variables: true }),
    clientSecret: attribute(t.text, '`oauth2`: secret of the client.', { secret: true }),
    scope: attribute(t.text, '`oauth2`: scopes to request, separated by spaces.'),
    audience: attribute(t.word, '`oauth2`: audience to request.'),
    clientAuthentication: attribute(
      t.enumeration(['basic', 'body']),
      '`oauth2`: where the token endpoint expects name and secret of the client.',
      { default: 'basic' },
    ),
    certificate: attribute(t.fileName, '`certificate`: file with the client certificate and its chain, PEM.'),
    key: attribute(t.fileName, '`certificate`: file with the private key, PEM.'),
    passphrase: attribute(t.text, '`certificate`: passphrase of the private key, if it is encrypted.', {
      secret: true,
    }),
    service: attribute(t.word, '`negotiate`: name of the service. Default: `HTTP@` and the host.'),
    principal: attribute(
      t.word,
      '`negotiate`: who logs in. Default: the principal of the keytab. Realms are those of Kerberos (KRB5_CONFIG).',
    ),
    keytab: attribute(t.fileName, '`negotiate`: file with the keys of the principal. Default: KRB5_CLIENT_KTNAME.'),
    page: attribute(t.httpUrl, '`form`: page with the login form. Default: `url`.'),
    form: attribute(
      t.text,
      '`form`: name, id or CSS selector of the form, if there is no LoginStep. Default: the one with a password.',
    ),
    sendTo: attribute(
      t.text,
      '`form`: further origins (scheme, host and port, separated by spaces) to which credentials may be sent: a sign-in server.',
    ),
    successSelector: attribute(
      t.text,
      '`form`: CSS selector of an element that is on the page after a successful login.',
    ),
    successCookie: attribute(t.word, '`form`: cookie that a successful login sets.'),
    successStatus: attribute(t.integer(100, 599), '`form`: status of the response to a successful login.'),
    successText: attribute(t.text, '`form`: text on the page after a successful login.'),
    refusedText: attribute(t.text, '`form`: text on the page if the password is wrong.'),
    lockedText: attribute(t.text, '`form`: text on the page if the account is locked.'),
    loggedOut: attribute(
      t.text,
      '`form`: piece of HTML that pages contain for visitors who are not logged in. Without it, a page counts as such if it has all filled-in fields of the login form.',
    ),
  },
  { children: ['LoginStep', 'LoginField'] },
);

export const LOGIN_STEP = element(
  'LoginStep',
  'One step of a login of type `form`: the fields of one page. Without this element, there is one step.',
  {
    form: attribute(t.text, 'Name, id or CSS selector of the form. Default: the one that has the fields.'),
    json: attribute(t.httpUrl, 'Send the fields as a JSON object to this URL instead of submitting a form.'),
  },
  { children: ['LoginField'] },
);

export const LOGIN_FIELD = element(
  'LoginField',
  'A field that is filled in. All others keep the values that the page gives them.',
  {
    name: attribute(t.text, 'Name of the field, or a CSS selector.', { required: true }),
    value: attribute(t.text, 'Value of the field.', { required: true, secret: true }),
  },
);
