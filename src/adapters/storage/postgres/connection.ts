/** The URL of the server's own database: its destination is shown, its password is passed to the driver only. */
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { describeDatabase } from '../../../domain/database-place.js';
import type { Secret } from '../../../domain/secret.js';

/** The driver's options. The password is a function, because options of pools and data sources can be printed. */
export function toConnectionConfig(url: Secret): pg.ClientConfig {
  const { password, ...config } = parseIntoClientConfig(url.reveal());
  return password ? { ...config, password: () => password as string } : config;
}

/** Host and database, for messages: never user and password. */
export const displayName = (url: Secret): string => describeDatabase(url.reveal()) ?? 'the URL of the database';
