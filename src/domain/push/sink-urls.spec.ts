import { describe, expect, it } from 'vitest';
import { describeDatabase } from '../database-kind.js';
import { findKafkaUrlFault, parseKafkaUrl } from './kafka-url.js';
import { findPostgresqlUrlFault, parsePostgresqlUrl } from './postgresql-url.js';

describe('the URL of a Kafka sink', () => {
  const broker = (host: string, port: number) => ({ host, port });

  it.each([
    ['kafka://k', [broker('k', 9092)], false],
    ['kafka://k/', [broker('k', 9092)], false],
    ['KAFKAS://k:1', [broker('k', 1)], true],
    [
      'kafkas://k-1.a_b:9093,10.0.0.1 , [::1]:65535',
      [broker('k-1.a_b', 9093), broker('10.0.0.1', 9092), broker('::1', 65_535)],
      true,
    ],
    [' kafka://k ', [broker('k', 9092)], false],
  ])('%s', (url, brokers, tls) => {
    expect(parseKafkaUrl(url)).toEqual({ brokers, tls });
    expect(findKafkaUrlFault(url)).toBeUndefined();
  });

  it.each([
    'k:9092',
    'http://k',
    'xkafka://k',
    'kafka://',
    'kafka://k:0',
    'kafka://k:65536',
    'kafka://k:123456',
    'kafka://k,',
    'kafka://k/topic',
    'kafka://k?x=1',
    'kafka://k//',
    'kafka://k:1x',
    'kafka://[::1',
    'kafka://[::1]x',
    'kafka://u@k',
  ])('%s is refused', (url) => expect(findKafkaUrlFault(url)).toContain('kafka://host:port'));
});

describe('the URL of a PostgreSQL sink', () => {
  it.each([
    ['postgresql://h/d', { host: 'h', port: 5432, database: 'd', sslMode: 'verify-full' }],
    ['postgres://h:1/d?sslmode=require', { host: 'h', port: 1, database: 'd', sslMode: 'require' }],
    [
      'postgres://u:p%40@h/d%20e?sslmode=disable',
      { host: 'h', port: 5432, user: 'u', password: 'p@', database: 'd e', sslMode: 'disable' },
    ],
    ['postgres://u%2F@h/d', { host: 'h', port: 5432, user: 'u/', database: 'd', sslMode: 'verify-full' }],
    ['postgresql://localhost/d', { host: 'localhost', port: 5432, database: 'd', sslMode: 'disable' }],
    ['postgresql://[::1]/d', { host: '::1', port: 5432, database: 'd', sslMode: 'disable' }],
    ['postgresql://127.1.2.3/d', { host: '127.1.2.3', port: 5432, database: 'd', sslMode: 'disable' }],
    ['postgresql://10.127.0.1/d', { host: '10.127.0.1', port: 5432, database: 'd', sslMode: 'verify-full' }],
    ['postgresql://[::2]/d', { host: '::2', port: 5432, database: 'd', sslMode: 'verify-full' }],
    [
      'postgresql://localhost/d?sslmode=verify-full',
      { host: 'localhost', port: 5432, database: 'd', sslMode: 'verify-full' },
    ],
  ])('%s', (url, expected) => {
    expect(parsePostgresqlUrl(url)).toEqual(expected);
    expect(findPostgresqlUrlFault(url)).toBeUndefined();
  });

  it.each([
    ['h/d', 'a URL like'],
    ['mysql://h/d', 'a URL like'],
    ['xpostgres://h/d', 'a URL like'],
    ['postgresx://h/d', 'a URL like'],
    ['postgres:///d', 'a URL like'],
    ['postgres://h', 'a URL like'],
    ['postgres://h/', 'a URL like'],
    ['postgres://h/d/e', 'a URL like'],
    ['postgres://h/d?sslmode=disable&sslrootcert=/etc/passwd', 'without the parameter sslrootcert'],
    ['postgres://h/d?sslmode=prefer', 'sslmode as one of'],
    ['postgres://h/d%zz', 'percent signs'],
    ['postgres://u:%zz@h/d', 'percent signs'],
  ])('%s is refused', (url, expected) => expect(findPostgresqlUrlFault(url)).toContain(expected));
});

it.each([
  ['postgresql://u:p@h:1/d', 'h:1/d'],
  ['postgres://u:p@h/d?sslmode=disable', 'h/d'],
  ['postgres://u:p@/d?host=/run/pg', '/run/pg/d'],
  ['postgres://u@/d', '/d'],
  ['postgres://u:p@h/d?host=other', 'other/d'],
  ['postgres://u:p@h', 'h'],
  ['postgres://u:p/w@h/d', undefined],
  ['postgres://u:p?w@h/d', undefined],
  ['postgres://u:p#w@h/d', undefined],
  ['mysql://u:p@h/d', undefined],
  ['x postgres://h/d', undefined],
  ['data.sqlite', undefined],
])('in messages, the database %s is called %s', (url, expected) => expect(describeDatabase(url)).toBe(expected));
