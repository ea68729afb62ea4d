/**
 * Handles the URL of the server's own database: the host and the name of the database may be shown, but the password is
 * passed only to the driver.
 */
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { describeDatabase } from '../../../domain/database-kind.js';
import type { Secret } from '../../../domain/secret.js';

/**
 * Converts the URL to the driver's options. The password becomes a function, so that it does not appear when the
 * options of pools and data sources are printed.
 */
export function toConnectionConfig(url: Secret): pg.ClientConfig {
  const { password, ...config } = parseIntoClientConfig(url.reveal());
  return password ? { ...config, password: () => password as string } : config;
}

/** Returns the host and database for messages, without user and password. */
export const getDisplayName = (url: Secret): string => describeDatabase(url.reveal()) ?? 'the URL of the database';
