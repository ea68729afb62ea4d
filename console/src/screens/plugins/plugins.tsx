/** Shows the state of the configured plug-ins, and how many of their calls failed. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { PluginDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { ScrollArea } from '../../ui/scroll.js';
import { Badge, type Tone } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

const POLL_INTERVAL_MS = 5000;
const MEBIBYTE = 1024 * 1024;

const TONES: Readonly<Record<PluginDto['state'], Tone>> = { starting: 'warn', ready: 'good', failed: 'bad' };

export function Plugins(): JSX.Element {
  const plugins = useResource(
    'plugins',
    async (signal) => (await call('GET /api/v1/plugins', { signal })).items,
    POLL_INTERVAL_MS,
  );
  return (
    <>
      <PageHead title="Plug-ins">Your modules that take part in the crawl, and their state on this server.</PageHead>
      <ResourceView resource={plugins}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState>
              No plug-in is configured. <code>crawlway new plugin NAME</code> creates one to start with;{' '}
              <a href="/configuration?view=forms">enter its file in the settings.</a>
            </EmptyState>
          ) : (
            items.map((plugin) => <PluginPanel key={plugin.name} plugin={plugin} />)
          )
        }
      </ResourceView>
    </>
  );
}

const PluginPanel = ({ plugin }: { plugin: PluginDto }): JSX.Element => (
  <Panel
    title={plugin.name}
    aside={
      <>
        {plugin.version !== undefined && <span>version {plugin.version}</span>}
        <Badge tone={TONES[plugin.state]}>{plugin.state}</Badge>
      </>
    }
  >
    <div class="stack">
      {plugin.lastError && (
        <div class={`notice ${plugin.state === 'failed' ? 'bad' : 'warn'}`}>
          <p>
            <strong>plugin-failed</strong> <Time at={plugin.lastError.at} relative />
          </p>
          <pre>{plugin.lastError.message}</pre>
        </div>
      )}
      <p>
        <span class="mono">{plugin.file}</span>
      </p>
      <dl class="figures">
        <div>
          <dt>Memory</dt>
          <dd>
            {Math.round(plugin.memory / MEBIBYTE)} <small>MB</small>
          </dd>
        </div>
        <div>
          <dt>Restarts</dt>
          <dd>{plugin.restarts}</dd>
        </div>
      </dl>
      {plugin.calls.length > 0 && <Calls plugin={plugin} />}
    </div>
  </Panel>
);

const Calls = ({ plugin: { name, calls } }: { plugin: PluginDto }): JSX.Element => (
  <ScrollArea>
    <table>
      <caption class="visually-hidden">Calls to plug-in {name}</caption>
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col" class="number">
            Succeeded
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="number">
            Mean time
          </th>
        </tr>
      </thead>
      <tbody>
        {calls.map(({ hook, answered, failed, milliseconds }) => (
          <tr key={hook}>
            <td class="mono">{hook}</td>
            <td class="number">{answered}</td>
            <td class="number">{failed}</td>
            <td class="number">{(milliseconds / (answered + failed)).toFixed(1)} ms</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);
