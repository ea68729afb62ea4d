import { describe, expect, it } from 'vitest';
import { LOGIN_TYPES } from '../../../domain/crawl/login-types.js';
import type { OptionsByType, OptionValues } from '../../../domain/options.js';
import { SINK_TYPES } from '../../../domain/push/sink-types.js';
import { Secret } from '../../../domain/secret.js';
import { readConfiguration } from '../read.js';
import { toAttributes } from '../schema/options.js';

function read(elements: string) {
  const { definition, problems } = readConfiguration(
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1"><Crawler name="a"/>
${elements}</CrawlConfig>`,
    { file: 'CrawlConfig.xml', env: {}, readFile: () => '' },
  );
  return { definition, messages: problems.map(({ message }) => message) };
}

/** Each secret option has its own name as its value; everything else that is required is filled in. */
const fill = ({ options }: OptionsByType[string]): string =>
  Object.entries(options)
    .filter(([, { required, secret }]) => required || secret)
    .map(([name, { value }]) => `${name}="${value === 'httpUrl' ? 'https://a.test/' : name}"`)
    .join(' ');

const listSecrets = ({ options }: OptionsByType[string]): string[] =>
  Object.keys(options).filter((name) => options[name]?.secret);

describe('what the table of a type marks as secret', () => {
  const typesWithSecrets = Object.entries(SINK_TYPES).filter(([, row]) => listSecrets(row).length > 0);
  it.each(typesWithSecrets)('is a Secret in the definition of a %s sink', (type, row) => {
    const { definition } = read(`<cw:Sink name="x" type="${type}" url="${row.example}" ${fill(row)}/>`);
    const options = definition!.sinks[0]!.options as Record<string, unknown>;
    for (const name of listSecrets(row)) {
      expect(options[name], name).toBeInstanceOf(Secret);
      expect((options[name] as Secret).reveal()).toBe(name);
    }
  });

  it.each(['basic', 'digest', 'ntlm', 'bearer', 'oauth2', 'header'] as const)(
    'is a Secret in the definition of a %s login',
    (type) => {
      const login = `<cw:Login name="x" type="${type}" url="https://a.test/" ${fill(LOGIN_TYPES[type])}/>`;
      const { definition } = read(`<cw:Fetcher name="default">${login}</cw:Fetcher>`);
      const options = definition!.fetchers[0]!.logins[0] as unknown as Record<string, unknown>;
      for (const name of listSecrets(LOGIN_TYPES[type])) expect(options[name], name).toBeInstanceOf(Secret);
    },
  );

  it('cannot be used as a text', () => {
    const table = { token: { value: 'text', meaning: 'token.', secret: true } } as const;
    const options: OptionValues<typeof table> = { token: new Secret('x') };
    // @ts-expect-error a Secret is no string
    const text: string | undefined = options.token;
    expect(`${text}`).toBe('***');
  });
});

it('an option that is missing and one of another type are reported with the options that the type has', () => {
  expect(read(`<cw:Sink name="x" type="kafka" url="kafka://127.0.0.1" index="i"/>`).messages).toEqual(
    expect.arrayContaining([
      'a sink of type kafka requires the attribute topic',
      'a sink of type kafka does not use the attribute index; it uses login, password, topic, mechanism',
    ]),
  );
});

describe('options of the same name', () => {
  const stream = { value: 'name', meaning: 'name of the stream.' } as const;

  it('are one attribute that says which type gives it which meaning', () => {
    const types = {
      redis: { options: { stream } },
      nats: { options: { stream } },
      pulsar: { options: { stream: { ...stream, meaning: 'name of the topic.' } } },
    };
    expect(toAttributes(types).stream.meaning).toBe(
      '`nats`, `redis`: name of the stream; `pulsar`: name of the topic.',
    );
  });

  it.each([{ value: 'text' }, { secret: true }, { default: 'orders' }] as const)('must agree on %o', (difference) => {
    const types = { redis: { options: { stream } }, nats: { options: { stream: { ...stream, ...difference } } } };
    expect(() => toAttributes(types)).toThrow('the types redis,nats define the option stream in several ways');
  });
});
