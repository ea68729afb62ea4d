import type { FormField } from './form.js';
import { PARAMETER } from './names.js';
import { Refusal } from './refusal.js';

/**
 * The parameters of one command, from its query string and its body. Every getter throws a Refusal for an invalid
 * value.
 */
export class Parameters {
  private readonly fields: readonly FormField[];

  constructor(query: URLSearchParams, bodyFields: readonly FormField[] = []) {
    this.fields = [...Array.from(query, ([name, value]) => ({ name, value })), ...bodyFields];
  }

  getOptional(name: string): string | undefined {
    return this.fields.find((field) => field.name === name)?.value;
  }

  getRequired(name: string): string {
    const value = this.getOptional(name);
    if (value === undefined) throw new Refusal(`${name} is missing`);
    return value;
  }

  getAll(name: string): string[] {
    const values = this.fields.filter((field) => field.name === name).map((field) => field.value);
    if (values.length === 0) throw new Refusal(`${name} is missing`);
    if (values.includes('')) throw new Refusal(`${name} is empty`);
    return values;
  }

  getFlag(name: string, fallback: boolean): boolean {
    const value = this.getOptional(name);
    if (value === undefined) return fallback;
    if (value !== 'true' && value !== 'false') throw new Refusal(`${name} must be true or false, not ${value}`);
    return value === 'true';
  }

  /**
   * Throws a Refusal if the session has ended: since the index was restarted, unsynced operations may have been lost,
   * and the connector must send them again.
   */
  requireCurrentSession(session: number): void {
    const requestedSession = this.getOptional(PARAMETER.session);
    if (requestedSession !== undefined && requestedSession !== String(session))
      throw new Refusal(
        `session ${requestedSession} has ended; the current session is ${session}: resend all operations that were not synced`,
      );
  }
}
