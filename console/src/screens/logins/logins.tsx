/** Shows how the crawl logs in to web sites, and whether it succeeds. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { LoginDto, LoginStepDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { addFullStop } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Badge, type Tone } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

const POLL_INTERVAL_MS = 5000;

const TONES: Readonly<Record<LoginDto['state'], Tone>> = {
  unused: 'plain',
  'logged-in': 'good',
  failing: 'warn',
  stopped: 'bad',
};

export function Logins(): JSX.Element {
  const logins = useResource(
    'logins',
    async (signal) => (await call('GET /api/v1/logins', { signal })).items,
    POLL_INTERVAL_MS,
  );
  return (
    <>
      <PageHead title="Logins">Accounts with which the crawl logs in to web sites, and whether they work.</PageHead>
      <ResourceView resource={logins}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState>
              No login is configured. A site that only shows its pages to logged-in visitors needs a Login in its
              Fetcher. <a href="/configuration?view=forms">Add one in the settings.</a>
            </EmptyState>
          ) : (
            items.map((login) => <LoginPanel key={login.name} login={login} onTested={logins.reload} />)
          )
        }
      </ResourceView>
    </>
  );
}

function LoginPanel({ login, onTested }: { login: LoginDto; onTested: () => void }): JSX.Element {
  const [testing, setTesting] = useState(false);
  const mayOperate = useHasRole('operate');
  const { name } = login;
  const test = async (): Promise<void> => {
    setTesting(true);
    await runWithNotice(async () => {
      const { state } = await call('POST /api/v1/logins/{login}/test', { path: { login: name } });
      return state === 'logged-in' ? `Login ${name} works.` : `Login ${name} failed; see its steps for the reason.`;
    });
    setTesting(false);
    onTested();
  };
  return (
    <Panel
      title={name}
      aside={
        <>
          <span>
            {login.type}, fetcher {login.fetcher}
          </span>
          <Badge tone={TONES[login.state]}>{login.state}</Badge>
          {mayOperate && (
            <button type="button" class="button" disabled={testing} onClick={test} aria-label={`Test login ${name}`}>
              {testing ? 'Testing…' : 'Test login'}
            </button>
          )}
        </>
      }
    >
      <div class="stack">
        {login.detail !== undefined && <LoginFailure login={login} />}
        <p>
          For <span class="mono">{login.url}</span>
        </p>
        <dl class="figures">
          <div>
            <dt>Last success</dt>
            <dd>
              <Time at={login.lastSuccessAt} relative />
            </dd>
          </div>
          <div>
            <dt>Last attempt</dt>
            <dd>
              <Time at={login.lastAttemptAt} relative />
            </dd>
          </div>
          <div>
            <dt>Consecutive refusals</dt>
            <dd>
              {login.refused} <small>of 3</small>
            </dd>
          </div>
          <div>
            <dt>Logins since the start</dt>
            <dd>{login.logins}</dd>
          </div>
          {login.lastSessionEndAt !== undefined && (
            <div>
              <dt>Session ended early</dt>
              <dd>
                <Time at={login.lastSessionEndAt} relative />
                {login.lastSessionEndUrl !== undefined && <small> by {login.lastSessionEndUrl}</small>}
              </dd>
            </div>
          )}
        </dl>
        {login.steps.length > 0 && <Steps login={name} steps={login.steps} />}
      </div>
    </Panel>
  );
}

const LoginFailure = ({ login: { state, failure, detail, nextAttemptAt } }: { login: LoginDto }): JSX.Element => (
  <div class={`notice ${state === 'stopped' ? 'bad' : 'warn'}`}>
    <p>
      {failure !== undefined && <strong>{failure}: </strong>}
      {addFullStop(detail ?? '')}
    </p>
    {state === 'stopped' && (
      <p>Crawlway does not retry this login, so that the account is not locked. Test it, or change its secret.</p>
    )}
    {nextAttemptAt !== undefined && (
      <p>
        The next attempt is <Time at={nextAttemptAt} due />.
      </p>
    )}
  </div>
);

const Steps = ({ login, steps }: { login: string; steps: readonly LoginStepDto[] }): JSX.Element => (
  <details open>
    <summary>Steps of the last attempt</summary>
    <ol class="stack" aria-label={`Steps of login ${login}`}>
      {steps.map(({ what, url, status, detail }, index) => (
        <li key={index}>
          {what} {url !== undefined && <span class="mono">{url}</span>} {status !== undefined && `→ ${status}`}
          {detail !== undefined && <div class="muted">{detail}</div>}
        </li>
      ))}
    </ol>
  </details>
);
