/** Stores secrets on the server, so that the configuration only names them. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type ApiProblem, call } from '../api/client.js';
import { toApiProblem } from '../state/resource.js';
import { Failure } from './answers.js';
import { showNotice } from './notices.js';

export const formatReference = (name: string): string => `\${secret:${name}}`;

/** With what the names of the secrets of one crawler begin. */
export const toSecretPrefix = (crawler: string): string => `${crawler.replace(/[^A-Za-z0-9._-]+/g, '-')}.`;

/** Returns the name of the secret if the value is a reference to a stored secret and nothing else. */
export const parseReference = (value: string | undefined): string | undefined =>
  /^\$\{secret:([^{}]+)\}$/.exec(value ?? '')?.[1];

export async function storeSecret(name: string, value: string): Promise<void> {
  await call('PUT /api/v1/secrets/{name}', { path: { name }, body: { value } });
  showNotice(`The secret ${name} is stored.`);
}

/**
 * Stores a secret under a new name, which is derived from the parts, and returns the reference to it.
 * @param owner the crawler whose secret it is, if the role of the user is limited to crawlers
 * @throws ApiProblem
 */
export async function storeNewSecret(nameParts: readonly string[], value: string, owner?: string): Promise<string> {
  const { items } = await call('GET /api/v1/secrets');
  const prefix = owner === undefined ? '' : toSecretPrefix(owner);
  const base = `${prefix}${nameParts
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')}`.slice(0, 60);
  let name = base;
  for (let suffix = 2; items.some((secret) => secret.name === name); suffix++) name = `${base}-${suffix}`;
  await storeSecret(name, value);
  return formatReference(name);
}

interface SecretFormProps {
  readonly label: string;
  /** Stores what was typed. */
  readonly onStore: (value: string) => Promise<unknown>;
}

/** A field for the value of a secret, which is stored with its own button. */
export function SecretForm({ label, onStore }: SecretFormProps): JSX.Element {
  const id = useId();
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const store = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onStore(value);
      setValue('');
    } catch (error) {
      setProblem(toApiProblem(error));
    }
    setBusy(false);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row tight">
        <input
          id={id}
          class="grow-input"
          type="password"
          autocomplete="new-password"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="button" class="button small" disabled={value === '' || busy} onClick={store}>
          {busy ? 'Storing…' : 'Store'}
        </button>
      </div>
      {value !== '' && !busy && (
        <span class="hint" role="status">
          Not stored yet.
        </span>
      )}
      {problem && <Failure problem={problem} />}
    </div>
  );
}
