/** Reads `cw:Login`, and checks that required attributes are present and secrets are not sent in clear text. */
import { createHash, createPrivateKey } from 'node:crypto';
import { createRequire } from 'node:module';
import { createSecureContext } from 'node:tls';
import { parseBrowserLoginSteps } from '../../../domain/crawl/browser-login-steps.js';
import { LOGIN_TYPES, type LoginOptions } from '../../../domain/crawl/login-types.js';
import {
  type ConvertedLoginType,
  type LoginBase,
  type LoginDefinition,
  type LoginDefinitionOf,
  type LoginField,
  type LoginStep,
  PASSWORD_FIELD,
  USER_FIELD,
} from '../../../domain/crawl/logins.js';
import type { Place } from '../../../domain/crawl/place.js';
import { Secret } from '../../../domain/secret.js';
import { hasUserInfo } from '../../../domain/url/crawl-url.js';
import { findValidChildren, type Node } from '../interpret.js';
import * as schema from '../schema/logins.js';
import type { ReadContext } from './context.js';
import { checkOptions, readOptions } from './options.js';

type LoginNode = Node<typeof schema.LOGIN.attributes>;
export function readLogins(fetcher: Node, context: ReadContext): LoginDefinition[] {
  return findValidChildren(fetcher, schema.LOGIN).flatMap((node) => {
    if (!checkLogin(node, context)) return [];
    const login = readLogin(node, context);
    return login ? [login] : [];
  });
}

const USED_CHILDREN: Readonly<Partial<Record<string, readonly string[]>>> = {
  form: [schema.LOGIN_STEP.name, schema.LOGIN_FIELD.name],
  browser: [schema.LOGIN_FIELD.name],
};

function checkLogin(node: LoginNode, { problems }: ReadContext): boolean {
  for (const option of ['url', 'check', 'page', 'tokenUrl'] as const) checkUrl(node, option, problems);
  const { type } = node.values;
  for (const { spec, place } of node.children)
    if (!(USED_CHILDREN[type] ?? []).includes(spec.name))
      problems.add('ignored-element', `a login of type ${type} does not use ${spec.name}`, place);
  return checkOptions('login', node, LOGIN_TYPES, problems);
}

function checkUrl(
  { values, place }: LoginNode,
  option: 'url' | 'check' | 'page' | 'tokenUrl' | 'steps',
  problems: Problems,
  url = values[option],
) {
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

/** What a reader gets: what all logins have, the options of the type, and the element for everything else. */
interface LoginInput<T extends ConvertedLoginType> {
  readonly base: LoginBase;
  readonly options: LoginOptions[T];
  readonly node: LoginNode;
  readonly context: ReadContext;
}

/** Logins of the other types are their options. */
const READERS: {
  readonly [T in ConvertedLoginType]: (input: LoginInput<T>) => LoginDefinitionOf<T> | undefined;
} = {
  negotiate: readNegotiateLogin,
  certificate: readCertificateLogin,
  form: readFormLogin,
  browser: readBrowserLogin,
};

function readLogin(node: LoginNode, context: ReadContext): LoginDefinition | undefined {
  const { values, place } = node;
  const { name, url, type, maxLoginsPerHour } = values;
  const base = { name, url, check: values.check ?? url, maxLoginsPerHour, place };
  if (URL.parse(base.check)?.origin !== URL.parse(url)?.origin)
    context.problems.add('bad-value', `check of login ${name} must be on the same server as its url`, place);
  const options = readOptions(LOGIN_TYPES[type].options, values, place, context);
  const read = (READERS as Partial<Record<string, (input: object) => LoginDefinition | undefined>>)[type];
  // LOGIN_TYPES ensures that the options match the type.
  return read ? read({ base, options, node, context }) : ({ ...base, type, ...options } as unknown as LoginDefinition);
}

const KERBEROS_MISSING =
  "logins of type negotiate require the kerberos package, which is not installed: install the operating system's Kerberos libraries, then run `npm install kerberos` in the Crawlway folder (docs/logins.md, Kerberos)";

/** The first bytes of a keytab: format 5, version 2. */
const KEYTAB_MAGIC = '\x05\x02';

function readNegotiateLogin({
  base,
  options: { keytab, ...options },
  node: { place },
  context,
}: LoginInput<'negotiate'>): LoginDefinitionOf<'negotiate'> | undefined {
  if (!isKerberosInstalled()) context.problems.add('missing-package', KERBEROS_MISSING, place);
  const login = { ...base, type: 'negotiate', ...options } as const;
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

function readCertificateLogin({
  base,
  options,
  node: { place },
  context,
}: LoginInput<'certificate'>): LoginDefinitionOf<'certificate'> | undefined {
  const certificate = context.readFile(options.certificate, place);
  const key = context.readFile(options.key, place);
  if (certificate === undefined || key === undefined) return undefined;
  const reportFault = (message: string): undefined => {
    context.problems.add('bad-value', `login ${base.name}: ${message}`, place);
  };
  let decryptedKey: string;
  try {
    const privateKey = createPrivateKey({ key, passphrase: options.passphrase?.reveal() ?? '' });
    decryptedKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    return reportFault(
      `the private key ${options.key} cannot be read: provide a key in PEM form, and its passphrase if it has one`,
    );
  }
  try {
    createSecureContext({ cert: certificate, key: decryptedKey });
  } catch {
    return reportFault(
      `the certificate ${options.certificate} cannot be used with the key ${options.key}: provide a matching pair in PEM form`,
    );
  }
  return { ...base, type: 'certificate', certificate, key: new Secret(decryptedKey) };
}

function readFormLogin({ base, options, node, context: { problems } }: LoginInput<'form'>): LoginDefinitionOf<'form'> {
  const { place } = node;
  const { insecure } = node.values;
  const parent = node as Node;
  const steps = findValidChildren(parent, schema.LOGIN_STEP).map((step): LoginStep => {
    const { form, json } = step.values;
    if (json !== undefined && URL.parse(json)?.protocol === 'http:' && !insecure)
      problems.add('bad-value', `json of login ${base.name} begins with http://: use https://`, step.place);
    return { form, json, fields: readFields(step as Node, problems) };
  });
  const fields = readFields(parent, problems);
  if (steps.length === 0) steps.push({ form: options.form, fields: [...fields, ...listCredentialFields(options)] });
  else if (fields.length > 0 || [options.user, options.password, options.form].some((option) => option !== undefined))
    problems.add(
      'no-effect',
      `login ${base.name} has steps, so its own fields, form, user and password are ignored: move them into a LoginStep`,
      place,
    );
  if (steps.every((step) => step.fields.length === 0))
    problems.add('missing-attribute', `a login of type form requires user and password, or LoginField elements`, place);
  const { tokenPath, csrfCookie, csrfHeader, successCookie: cookie, successStatus: status } = options;
  const session = readSessionOptions(base, options, node, problems);
  const success = { ...session.success, cookie, status };
  return { ...base, ...session, type: 'form', steps, success, tokenPath, csrfCookie, csrfHeader };
}

function readBrowserLogin({
  base,
  options,
  node,
  context: { problems },
}: LoginInput<'browser'>): LoginDefinitionOf<'browser'> | undefined {
  const { place } = node;
  const { user, password } = options;
  const fields = [
    ...(user === undefined ? [] : [{ name: 'user', value: new Secret(user) }]),
    ...(password === undefined ? [] : [{ name: 'password', value: password }]),
    ...readFields(node as Node, problems),
  ];
  const steps = parseBrowserLoginSteps(options.steps);
  if ('problem' in steps) {
    problems.add('bad-value', `steps of login ${base.name}: ${steps.problem}`, place);
    return undefined;
  }
  const names = fields.map(({ name }) => name);
  for (const step of steps) {
    if (step.do === 'goto') checkUrl(node, 'steps', problems, step.url);
    if (step.do !== 'fill' || names.includes(step.field)) continue;
    const message = `steps of login ${base.name}: there is no value "${step.field}": set the attribute user or password, or add a LoginField with this name`;
    problems.add('bad-value', message, place);
  }
  return { ...base, ...readSessionOptions(base, options, node, problems), type: 'browser', steps, fields };
}

function readSessionOptions(
  { name, url, check }: LoginBase,
  options: Omit<LoginOptions['browser'], 'steps'>,
  node: LoginNode,
  problems: Problems,
) {
  const { place, values } = node;
  const { page = url, refusedText, lockedText, loggedOut, sessionLifetimeS } = options;
  const { successSelector: selector, successText: text } = options;
  if ([values.check, selector, text, loggedOut].every((test) => test === undefined))
    problems.add(
      'no-session-test',
      `login ${name} is judged by how ${check} looks to visitors who are not logged in: set successSelector or successText to what only members see there, or name a page for members only in check`,
      place,
    );
  return {
    page,
    success: { selector, text },
    sendTo: parseOrigins(options.sendTo ?? '', place, problems),
    logoutUrls: options.logoutUrls?.split(/\s+/).filter((pattern) => pattern !== '') ?? [],
    ...{ refusedText, lockedText, loggedOut, sessionLifetimeS },
    insecure: values.insecure,
  };
}

const readFields = (node: Node, problems: Problems): LoginField[] =>
  findValidChildren(node, schema.LOGIN_FIELD).flatMap(({ values: { name, value, totp }, place }): LoginField[] => {
    if (totp !== undefined && value === undefined) return [{ name, value: totp, isTotp: true }];
    if (value !== undefined && totp === undefined) return [{ name, value }];
    problems.add('bad-value', `the field ${name} needs either value or totp`, place);
    return [];
  });

function listCredentialFields({ user, password }: LoginOptions['form']): LoginField[] {
  return [
    ...(user === undefined ? [] : [{ name: USER_FIELD, value: new Secret(user) }]),
    ...(password === undefined ? [] : [{ name: PASSWORD_FIELD, value: password }]),
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
