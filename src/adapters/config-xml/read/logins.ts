/** Reads `cw:Login`, and checks that required attributes are present and secrets are not sent in clear text. */
import { createHash, createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { createSecureContext } from 'node:tls';
import {
  type CertificateLogin,
  type FormLogin,
  type LoginDefinition,
  type LoginField,
  type LoginStep,
  type LoginType,
  type NegotiateLogin,
  PASSWORD_FIELD,
  USER_FIELD,
} from '../../../domain/crawl/logins.js';
import type { Place } from '../../../domain/crawl/place.js';
import { Secret } from '../../../domain/secret.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { findValidChildren, type Node } from '../interpret.js';
import * as schema from '../schema/logins.js';
import type { ReadContext } from './context.js';

type LoginNode = Node<typeof schema.LOGIN.attributes>;
type Option = keyof LoginNode['values'];

const SHARED_OPTIONS: readonly Option[] = ['name', 'type', 'url', 'insecure', 'check'];

/** Required and optional attributes of each type, in addition to those that all types have. */
const OPTIONS_BY_TYPE: Readonly<
  Record<LoginType, { readonly requiredOptions: readonly Option[]; readonly optionalOptions?: readonly Option[] }>
> = {
  basic: { requiredOptions: ['user', 'password'] },
  digest: { requiredOptions: ['user', 'password'] },
  ntlm: { requiredOptions: ['user', 'password'], optionalOptions: ['domain'] },
  negotiate: { requiredOptions: [], optionalOptions: ['service', 'principal', 'keytab'] },
  bearer: { requiredOptions: ['token'] },
  header: { requiredOptions: ['header', 'value'] },
  oauth2: {
    requiredOptions: ['tokenUrl', 'clientId', 'clientSecret'],
    optionalOptions: ['scope', 'audience', 'clientAuthentication'],
  },
  certificate: { requiredOptions: ['certificate', 'key'], optionalOptions: ['passphrase'] },
  form: {
    requiredOptions: [],
    optionalOptions: [
      'user',
      'password',
      'page',
      'form',
      'sendTo',
      'successSelector',
      'successCookie',
      'successStatus',
      'successText',
      'refusedText',
      'lockedText',
      'loggedOut',
    ],
  },
};

export function readLogins(fetcher: Node, context: ReadContext): LoginDefinition[] {
  return findValidChildren(fetcher, schema.LOGIN).flatMap((node) => {
    if (!checkLogin(node, context)) return [];
    const login = readLogin(node, context);
    return login ? [login] : [];
  });
}

function checkLogin(node: LoginNode, { problems }: ReadContext): boolean {
  const { element, values, place } = node;
  const { requiredOptions, optionalOptions = [] } = OPTIONS_BY_TYPE[values.type];
  const missingOptions = requiredOptions.filter((option) => values[option] === undefined);
  for (const option of missingOptions)
    problems.add('missing-attribute', `a login of type ${values.type} requires the attribute ${option}`, place);
  const supportedOptions = new Set<string>([...SHARED_OPTIONS, ...requiredOptions, ...optionalOptions]);
  for (const { local } of element.attributes) {
    if (!(local in schema.LOGIN.attributes) || supportedOptions.has(local)) continue;
    const optionList = [...requiredOptions, ...optionalOptions].join(', ') || 'no such attributes';
    const message = `a login of type ${values.type} does not use the attribute ${local}; it uses ${optionList}`;
    problems.add('ignored-attribute', message, place);
  }
  for (const option of ['url', 'check', 'page', 'tokenUrl'] as const) checkUrl(node, option, problems);
  return missingOptions.length === 0;
}

function checkUrl({ values, place }: LoginNode, option: 'url' | 'check' | 'page' | 'tokenUrl', problems: Problems) {
  const url = values[option];
  if (url === undefined) return;
  if (hasUserInfo(url))
    problems.add(
      'bad-value',
      `${option}: write the URL without user name and password; use the attributes user and password instead`,
      place,
    );
  if (URL.parse(url)?.protocol === 'https:' || values.insecure) return;
  const message = `${option} of login ${values.name} begins with http://, so the login would be sent in clear text: use https://, or write insecure="true" if that is intended`;
  problems.add('bad-value', message, place);
}

type Problems = ReadContext['problems'];

function readLogin(node: LoginNode, context: ReadContext): LoginDefinition | undefined {
  const { values, place } = node;
  const { name, url, type } = values;
  const base = { name, url, check: values.check ?? url, place };
  if (URL.parse(base.check)?.origin !== URL.parse(url)?.origin)
    context.problems.add('bad-value', `check of login ${name} must be on the same server as its url`, place);
  switch (type) {
    case 'basic':
    case 'digest':
      return { ...base, type, user: values.user ?? '', password: toSecret(values.password) };
    case 'ntlm':
      return { ...base, type, ...parseWindowsUser(values), password: toSecret(values.password) };
    case 'negotiate':
      return readNegotiateLogin(base, node, context);
    case 'bearer':
      return { ...base, type, header: 'authorization', value: new Secret(`Bearer ${values.token}`) };
    case 'header':
      return { ...base, type, header: (values.header ?? '').toLowerCase(), value: toSecret(values.value) };
    case 'oauth2': {
      const { tokenUrl = '', clientId = '', scope, audience, clientAuthentication } = values;
      const clientSecret = toSecret(values.clientSecret);
      return { ...base, type, tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication };
    }
    case 'certificate':
      return readCertificateLogin(base, node, context);
    case 'form':
      return readFormLogin(base, node, context);
  }
}

const KERBEROS_MISSING =
  "logins of type negotiate require the kerberos package, which is not installed: install the operating system's Kerberos libraries, then run `npm install kerberos` in the Crawlway folder (docs/LOGINS.md, Kerberos)";

/** The first bytes of a keytab: format 5, version 2. */
const KEYTAB_MAGIC = '\x05\x02';

function readNegotiateLogin(
  base: LoginBase,
  { values, place }: LoginNode,
  context: ReadContext,
): NegotiateLogin | undefined {
  const { service, principal, keytab } = values;
  if (!isKerberosInstalled()) context.problems.add('missing-package', KERBEROS_MISSING, place);
  const login = { ...base, type: 'negotiate', service, principal } as const;
  if (keytab === undefined) return login;
  const content = context.readFile(keytab, place);
  if (content === undefined) return undefined;
  if (!content.startsWith(KEYTAB_MAGIC)) {
    const message = `login ${base.name}: ${keytab} is not a keytab: specify one created by kadmin or ktutil`;
    context.problems.add('bad-value', message, place);
    return undefined;
  }
  const digest = createHash('sha256').update(content).digest('hex');
  return { ...login, keytab: { path: context.resolvePath(keytab), digest } };
}

/** The package is not a dependency of Crawlway, because it requires system libraries. */
function isKerberosInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('kerberos');
    return true;
  } catch {
    return false;
  }
}

const toSecret = (text: string | undefined): Secret => new Secret(text ?? '');

/** Splits a user name of the form `DOMAIN\user`, unless the domain is set separately. */
function parseWindowsUser({ user = '', domain }: LoginNode['values']): { user: string; domain: string } {
  const backslash = user.indexOf('\\');
  if (domain !== undefined || backslash < 0) return { user, domain: domain ?? '' };
  return { user: user.slice(backslash + 1), domain: user.slice(0, backslash) };
}

type LoginBase = Pick<LoginDefinition, 'name' | 'url' | 'check' | 'place'>;

function readCertificateLogin(
  base: LoginBase,
  { values, place }: LoginNode,
  context: ReadContext,
): CertificateLogin | undefined {
  const certificate = context.readFile(values.certificate ?? '', place);
  const key = context.readFile(values.key ?? '', place);
  if (certificate === undefined || key === undefined) return undefined;
  const reportFault = (message: string): undefined => {
    context.problems.add('bad-value', `login ${values.name}: ${message}`, place);
  };
  let decryptedKey: string;
  try {
    const privateKey = createPrivateKey({ key, passphrase: values.passphrase ?? '' });
    decryptedKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    return reportFault(
      `the private key ${values.key} cannot be read: provide a key in PEM form, and its passphrase if it has one`,
    );
  }
  try {
    createSecureContext({ cert: certificate, key: decryptedKey });
  } catch {
    return reportFault(
      `the certificate ${values.certificate} cannot be used with the key ${values.key}: provide a matching pair in PEM form`,
    );
  }
  return { ...base, type: 'certificate', certificate, key: new Secret(decryptedKey) };
}

function readFormLogin(base: LoginBase, node: LoginNode, { problems }: ReadContext): FormLogin {
  const { values, place } = node;
  const parent = node as Node;
  const steps = findValidChildren(parent, schema.LOGIN_STEP).map((step): LoginStep => {
    if (step.values.json !== undefined && URL.parse(step.values.json)?.protocol === 'http:' && !values.insecure)
      problems.add('bad-value', `json of login ${values.name} begins with http://: use https://`, step.place);
    return { form: step.values.form, json: step.values.json, fields: readFields(step as Node) };
  });
  const fields = readFields(parent);
  if (steps.length === 0) steps.push({ form: values.form, fields: [...fields, ...listCredentialFields(values)] });
  else if (fields.length > 0 || values.password !== undefined || values.form !== undefined)
    problems.add(
      'no-effect',
      `login ${values.name} has steps, so its own fields, form and password are ignored: move them into a LoginStep`,
      place,
    );
  if (steps.every((step) => step.fields.length === 0))
    problems.add('missing-attribute', `a login of type form requires user and password, or LoginField elements`, place);
  const page = values.page ?? base.url;
  return {
    ...base,
    type: 'form',
    page,
    steps,
    success: {
      selector: values.successSelector,
      cookie: values.successCookie,
      status: values.successStatus,
      text: values.successText,
    },
    sendTo: parseOrigins(values.sendTo ?? '', place, problems),
    refusedText: values.refusedText,
    lockedText: values.lockedText,
    loggedOut: values.loggedOut,
    insecure: values.insecure,
  };
}

const readFields = (node: Node): LoginField[] =>
  findValidChildren(node, schema.LOGIN_FIELD).map(({ values }) => ({
    name: values.name,
    value: new Secret(values.value),
  }));

function listCredentialFields({ user, password }: LoginNode['values']): LoginField[] {
  return [
    ...(user === undefined ? [] : [{ name: USER_FIELD, value: new Secret(user) }]),
    ...(password === undefined ? [] : [{ name: PASSWORD_FIELD, value: new Secret(password) }]),
  ];
}

function parseOrigins(text: string, place: Place, problems: Problems): string[] {
  return text
    .split(/\s+/)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const url = URL.parse(part);
      if (url && /^https?:$/.test(url.protocol)) return [url.origin];
      problems.add(
        'bad-value',
        `sendTo: '${part.slice(0, 80)}' is not valid; expected origins like https://login.example.com`,
        place,
      );
      return [];
    });
}
