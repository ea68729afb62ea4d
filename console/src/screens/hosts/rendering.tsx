/** Shows which pages of a host need the browser: what `render="auto"` has learned, and what operators have overruled. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { RenderPatternDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { formatCount, formatPercent, formatSeconds } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { ScrollArea } from '../../ui/scroll.js';
import { Badge } from '../../ui/status.js';

const POLL_INTERVAL_MS = 10_000;

const LEARNED_LABELS = {
  browser: { tone: 'good', text: 'rendering adds content' },
  plain: { tone: 'plain', text: 'rendering adds nothing' },
  trying: { tone: 'plain', text: 'not known yet' },
} as const;

const CHOICE_LABELS = { auto: 'as learned', always: 'always render', never: 'never render' } as const;

/** Empty if no page of the host has been rendered. */
export function HostRendering({ host }: { readonly host: string }): JSX.Element | null {
  const rendering = useResource(
    `rendering ${host}`,
    (signal) => call('GET /api/v1/hosts/{host}/rendering', { path: { host }, signal }),
    POLL_INTERVAL_MS,
  );
  const patterns = rendering.value?.patterns ?? [];
  if (patterns.length === 0) return null;
  return (
    <Panel title="Rendering" aside={<span>learned since the server started</span>}>
      <ScrollArea>
        <table>
          <caption class="visually-hidden">URL patterns of {host} and whether their pages are rendered</caption>
          <thead>
            <tr>
              <th scope="col">URL pattern</th>
              <th scope="col">Learned</th>
              <th scope="col" class="number">
                Rendered
              </th>
              <th scope="col" class="number">
                Added content
              </th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col">With render="auto"</th>
            </tr>
          </thead>
          <tbody>
            {patterns.map((pattern) => (
              <Row key={pattern.pattern} host={host} pattern={pattern} onChanged={rendering.reload} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </Panel>
  );
}

interface RowProps {
  readonly host: string;
  readonly pattern: RenderPatternDto;
  readonly onChanged: () => void;
}

function Row({ host, pattern: renderPattern, onChanged }: RowProps): JSX.Element {
  const { pattern, learned, render, rendered, worthwhile, failures } = renderPattern;
  const mayOperate = useHasRole('operate');
  const { tone, text } = LEARNED_LABELS[learned];
  const overrule = (choice: RenderPatternDto['render']): Promise<void> =>
    runWithNotice(async () => {
      await call('PUT /api/v1/hosts/{host}/rendering', { path: { host }, body: { pattern, render: choice } });
      onChanged();
      return `${pattern}: ${CHOICE_LABELS[choice]}, starting with the next visit.`;
    });
  return (
    <tr>
      <th scope="row" class="mono">
        {pattern}
      </th>
      <td>
        <Badge tone={tone}>{text}</Badge>
      </td>
      <td class="number">{formatCount(rendered)}</td>
      <td class="number">{rendered === 0 ? '–' : formatPercent(worthwhile)}</td>
      <td class="number">{rendered === 0 ? '–' : formatSeconds(renderPattern.seconds)}</td>
      <td class="number">{formatCount(failures)}</td>
      <td>
        <select
          aria-label={`Rendering of ${pattern}`}
          value={render}
          disabled={!mayOperate}
          onChange={({ currentTarget }) => overrule(currentTarget.value as RenderPatternDto['render'])}
        >
          {Object.entries(CHOICE_LABELS).map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}
