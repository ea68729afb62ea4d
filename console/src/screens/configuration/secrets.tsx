/** The stored secrets: names, uses and new values, but never the values themselves. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { SecretDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole, useSession } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { Panel } from '../../ui/panel.js';
import { formatReference, SecretForm, storeSecret, toSecretPrefix } from '../../ui/secret-value.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

export function Secrets(): JSX.Element {
  const mayChange = useHasRole('admin');
  if (!mayChange) return <EmptyState>Secrets require a key with the role admin.</EmptyState>;
  return <SecretsPanel />;
}

function SecretsPanel(): JSX.Element {
  const secrets = useResource('secrets', async (signal) => (await call('GET /api/v1/secrets', { signal })).items);
  const [changingName, setChangingName] = useState<string>();
  const [removingName, setRemovingName] = useState<string>();
  const store = async (name: string, value: string): Promise<void> => {
    await storeSecret(name, value);
    setChangingName(undefined);
    secrets.reload();
  };
  return (
    <Panel title="Secrets">
      <div class="stack">
        <p class="muted">
          Passwords, keys and tokens are kept here, encrypted on the server, and never shown again. The configuration
          only names them, like <code>{formatReference('NAME')}</code>, so that it can be shown, compared and committed
          to version control.
        </p>
        <ResourceView resource={secrets}>
          {(items) =>
            items.length === 0 ? (
              <EmptyState>No secret is stored.</EmptyState>
            ) : (
              <Table name="Secrets" headers={['Name', 'Used at', 'Set', 'By', { label: 'Actions', hidden: true }]}>
                {items.map((secret) => (
                  <tr key={secret.name}>
                    <td class="mono">{secret.name}</td>
                    <td>
                      <Uses secret={secret} />
                    </td>
                    <td>
                      <Time at={secret.setAt} />
                    </td>
                    <td>{secret.setBy}</td>
                    <td class="actions">
                      {changingName === secret.name ? (
                        <SecretForm
                          label={`New value of ${secret.name}`}
                          onStore={(value) => store(secret.name, value)}
                        />
                      ) : (
                        <>
                          <button type="button" class="button small" onClick={() => setChangingName(secret.name)}>
                            Change…
                          </button>
                          <button
                            type="button"
                            class="button small danger"
                            disabled={secret.uses.length > 0}
                            onClick={() => setRemovingName(secret.name)}
                          >
                            Remove
                          </button>
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </Table>
            )
          }
        </ResourceView>
        <NewSecret takenNames={secrets.value?.map(({ name }) => name) ?? []} onStore={store} />
      </div>
      {removingName !== undefined && (
        <ConfirmDialog
          title={`Remove the secret ${removingName}?`}
          action="Remove"
          danger
          onConfirm={async () => {
            await call('DELETE /api/v1/secrets/{name}', { path: { name: removingName } });
            secrets.reload();
          }}
          onClose={() => setRemovingName(undefined)}
        >
          The configuration in force does not use it. Earlier versions of the configuration may refer to it, and cannot
          be restored without it.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Uses({ secret: { uses } }: { secret: SecretDto }): JSX.Element {
  if (uses.length === 0) return <span class="muted">not used</span>;
  return (
    <>
      {uses.map(({ file, line, column }, index) => (
        <span key={`${file} ${line} ${column}`}>
          {index > 0 && ', '}
          {/\.xml$/i.test(file) ? (
            <a href={href('/configuration', { view: 'xml', line: String(line) })}>line {line}</a>
          ) : (
            `${file}, line ${line}`
          )}
        </span>
      ))}
    </>
  );
}

interface NewSecretProps {
  readonly takenNames: readonly string[];
  readonly onStore: (name: string, value: string) => Promise<void>;
}

function NewSecret({ takenNames, onStore }: NewSecretProps): JSX.Element {
  const id = useId();
  const crawler = useCrawler()?.name;
  const isLimited = useSession().crawlers !== undefined;
  const prefix = isLimited && crawler !== undefined ? toSecretPrefix(crawler) : '';
  const [name, setName] = useState(prefix);
  const isTaken = takenNames.includes(name);
  return (
    <fieldset class="fieldset stack">
      <legend>New secret</legend>
      <div class="field">
        <label for={id}>Name</label>
        <input
          id={id}
          class="mono"
          spellcheck={false}
          autocomplete="off"
          placeholder={`${prefix}sink-main-password`}
          value={name}
          onInput={(event) => setName(event.currentTarget.value.trim())}
        />
        <span class="hint" role="status">
          {isTaken
            ? 'There is a secret with this name: change it in the list.'
            : `Letters, digits and . _ -${isLimited ? `, after ${prefix}, which says whose it is` : ''}`}
        </span>
      </div>
      {name !== '' && !isTaken && (
        <SecretForm
          label="Value"
          onStore={async (value) => {
            await onStore(name, value);
            setName(prefix);
          }}
        />
      )}
    </fieldset>
  );
}
