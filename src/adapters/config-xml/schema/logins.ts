/** Logins of fetchers (docs/LOGINS.md). */
import { LOGIN_TYPES } from '../../../domain/crawl/logins.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const LOGIN = element(
  'Login',
  'How the fetcher logs in for URLs with a given prefix (docs/LOGINS.md). If several logins apply, the longest prefix wins; the option `login` of a condition selects one by name.',
  {
    name: attribute(t.name, 'Name, unique across all fetchers.', { required: true }),
    type: attribute(t.enumeration(LOGIN_TYPES), 'How to log in.', { required: true }),
    url: attribute(
      t.httpUrl,
      'Prefix of the URLs for which the login is used. No part of the login is sent to other URLs.',
      {
        required: true,
      },
    ),
    insecure: attribute(
      t.boolean,
      'Also send the login over connections without TLS. Anyone on the network path can read it.',
      {
        default: 'false',
      },
    ),
    check: attribute(t.httpUrl, 'URL to request in order to check whether the login works. Default: `url`.'),
    user: attribute(t.nonEmptyText, '`basic`, `digest`, `ntlm`, `form`: user name.', { variables: true }),
    password: attribute(t.text, '`basic`, `digest`, `ntlm`, `form`: password.', { secret: true }),
    domain: attribute(t.nonEmptyText, '`ntlm`: Windows domain of the user.'),
    token: attribute(t.nonEmptyText, '`bearer`: the token.', { secret: true }),
    header: attribute(t.headerName, '`header`: name of the header.'),
    value: attribute(t.headerValue, '`header`: value of the header.', { secret: true }),
    tokenUrl: attribute(t.httpUrl, '`oauth2`: token endpoint for client credentials.'),
    clientId: attribute(t.nonEmptyText, '`oauth2`: client ID.', { variables: true }),
    clientSecret: attribute(t.text, '`oauth2`: client secret.', { secret: true }),
    scope: attribute(t.text, '`oauth2`: scopes to request, separated by spaces.'),
    audience: attribute(t.nonEmptyText, '`oauth2`: audience to request.'),
    clientAuthentication: attribute(
      t.enumeration(['basic', 'body']),
      '`oauth2`: where the token endpoint expects the client ID and the client secret.',
      { default: 'basic' },
    ),
    certificate: attribute(t.fileName, '`certificate`: PEM file with the client certificate and its chain.'),
    key: attribute(t.fileName, '`certificate`: PEM file with the private key.'),
    passphrase: attribute(t.text, '`certificate`: passphrase of the private key, if it is encrypted.', {
      secret: true,
    }),
    service: attribute(t.nonEmptyText, '`negotiate`: name of the service. Default: `HTTP@` and the host.'),
    principal: attribute(
      t.nonEmptyText,
      '`negotiate`: principal that logs in. Default: the one in the keytab. Realms are taken from the Kerberos configuration (KRB5_CONFIG).',
    ),
    keytab: attribute(t.fileName, '`negotiate`: file with the keys of the principal. Default: KRB5_CLIENT_KTNAME.'),
    page: attribute(t.httpUrl, '`form`: page with the login form. Default: `url`.'),
    form: attribute(
      t.text,
      '`form`: name, id or CSS selector of the form, if there is no LoginStep. Default: the form with a password field.',
    ),
    sendTo: attribute(
      t.text,
      '`form`: further origins (scheme, host and port, separated by spaces) to which credentials may be sent, for example a sign-in server.',
    ),
    successSelector: attribute(
      t.text,
      '`form`: CSS selector of an element that is on the page after a successful login.',
    ),
    successCookie: attribute(t.nonEmptyText, '`form`: cookie that a successful login sets.'),
    successStatus: attribute(t.integer(100, 599), '`form`: status of the response to a successful login.'),
    successText: attribute(t.text, '`form`: text on the page after a successful login.'),
    refusedText: attribute(t.text, '`form`: text on the page if the password is wrong.'),
    lockedText: attribute(t.text, '`form`: text on the page if the account is locked.'),
    loggedOut: attribute(
      t.text,
      '`form`: piece of HTML that pages contain only for visitors who are not logged in. If this is not set, such pages are recognized because they contain all fields of the login form that are filled in.',
    ),
  },
  { children: ['LoginStep', 'LoginField'] },
);

export const LOGIN_STEP = element(
  'LoginStep',
  'One step of a login of type `form`: the fields of one page. Without this element, the login has one step.',
  {
    form: attribute(t.text, 'Name, id or CSS selector of the form. Default: the form that contains the fields.'),
    json: attribute(t.httpUrl, 'Send the fields as a JSON object to this URL instead of submitting a form.'),
  },
  { children: ['LoginField'] },
);

export const LOGIN_FIELD = element(
  'LoginField',
  'A field to fill in. All other fields keep the values that they have on the page.',
  {
    name: attribute(t.text, 'Name of the field, or a CSS selector.', { required: true }),
    value: attribute(t.text, 'Value of the field.', { required: true, secret: true }),
  },
);
