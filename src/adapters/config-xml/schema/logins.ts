/** Logins of fetchers (docs/logins.md). */
import { LOGIN_TYPE_NAMES, LOGIN_TYPES } from '../../../domain/crawl/login-types.js';
import * as t from '../value-types.js';
import { toAttributes } from './options.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const LOGIN = element(
  'Login',
  'How the fetcher logs in for URLs with a given prefix (docs/logins.md). If several logins apply, the longest prefix wins; the option `login` of a condition selects one by name.',
  {
    name: attribute(t.name, 'Name, unique across all fetchers.', { required: true }),
    type: attribute(t.enumeration(LOGIN_TYPE_NAMES), 'How to log in.', { required: true }),
    url: attribute(
      t.httpUrl,
      'Prefix of the URLs for which the login is used. No part of the login is sent to other URLs.',
      { required: true },
    ),
    insecure: attribute(
      t.boolean,
      'Also send the login over connections without TLS. Anyone on the network path can read it.',
      { default: 'false' },
    ),
    check: attribute(
      t.httpUrl,
      'URL to request in order to check whether the login works and its session is alive; choose a page that only members can read. Default: `url`.',
    ),
    maxLoginsPerHour: attribute(
      t.integer(1, 1_000),
      'Maximum number of logins within an hour; a login whose sessions end more often is stopped.',
      { default: '6' },
    ),
    ...toAttributes(LOGIN_TYPES),
  },
  { children: ['LoginStep', 'LoginField'], types: LOGIN_TYPES },
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
    value: attribute(t.text, 'Value of the field.', { secret: true }),
    totp: attribute(
      t.text,
      'Secret of an authenticator app in Base32, instead of a value: the field gets the current one-time password (RFC 6238).',
      { secret: true },
    ),
  },
);
