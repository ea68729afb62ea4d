import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { ResolvedEntryDto, ResolvedUrlDto, ResolvedViewDto } from '../../api/schema.js';
import { applyForm, useAddressForm } from '../../state/address-form.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { ResourceView } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { Panel } from '../../ui/panel.js';
import { Badge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { PlaceLink, Trace } from '../../ui/verdict.js';

type LayerLabels = readonly [title: string, words: string, view: string];

/**
 * In the order of evaluation: the title of each layer, how its entries are combined, and the view in which they are
 * edited.
 */
const LAYERS: Readonly<Record<ResolvedEntryDto['layer'], LayerLabels>> = {
  'link-rules': ['Link rules', 'for links found on pages', 'forms'],
  'site-mode': ['Site mode', 'below roots that are crawled as a site', 'forms'],
  'crawl-space': ['Crawl space', 'the first matching rule wins', 'other'],
  'server-records': ['Server records', 'the longest matching prefix wins', 'other'],
  conditions: ['Recursive conditions', 'in order; the last setting of an option wins', 'other'],
  'crawl-rules': ['Crawl rules', 'in order; a later rule overrides an earlier one', 'rules'],
};

/** Maximum number of entries shown per layer; there can be 100,000 server records. */
const MAX_ENTRIES_SHOWN = 300;

export function ResolvedScreen(): JSX.Element {
  const crawler = useCrawler()?.name;
  const url = useRoute().query.get('url') ?? undefined;
  const view = useResource(crawler && `resolved ${crawler} ${url}`, (signal) =>
    call('GET /api/v1/config/crawlers/{crawler}/resolved', { path: { crawler: crawler! }, query: { url }, signal }),
  );
  if (!crawler) return <NoCrawler />;
  return (
    <div class="stack">
      <ResolvedUrlForm />
      <ResourceView resource={view}>
        {(value) =>
          'options' in value ? (
            <ResolvedUrl resolved={value} crawler={crawler} />
          ) : (
            <ResolvedLayers view={value} crawler={crawler} />
          )
        }
      </ResourceView>
    </div>
  );
}

function ResolvedUrlForm(): JSX.Element {
  const form = useAddressForm();
  return (
    <form ref={form} class="filters panel" onSubmit={applyForm}>
      <div class="field grow">
        <label for="resolved-url">For one URL (leave empty for the whole configuration)</label>
        <input id="resolved-url" name="url" class="mono" spellcheck={false} />
      </div>
      <button type="submit" class="button primary">
        Show
      </button>
    </form>
  );
}

const ResolvedLayers = ({ view, crawler }: { view: ResolvedViewDto; crawler: string }): JSX.Element => (
  <>
    {Object.entries(LAYERS).map(([layer, labels]) => (
      <Layer
        key={layer}
        labels={labels}
        crawler={crawler}
        entries={view.entries.filter((entry) => entry.layer === layer)}
      />
    ))}
  </>
);

interface LayerProps {
  readonly labels: LayerLabels;
  readonly crawler: string;
  readonly entries: readonly ResolvedEntryDto[];
}

function Layer({ labels: [title, description, view], crawler, entries }: LayerProps): JSX.Element {
  return (
    <Panel title={title} aside={description}>
      {entries.length === 0 ? (
        <p class="muted">
          Not configured: this layer has no effect.{' '}
          <a href={href('/configuration', { crawler, view })}>Configure it.</a>
        </p>
      ) : (
        <ol class="entries">
          {entries.slice(0, MAX_ENTRIES_SHOWN).map(({ text, effect, depth, place }) => (
            <li key={`${place?.line} ${text}`} class={`depth-${Math.min(depth, 5)}`}>
              <span class="entry-text">{text}</span>
              {effect && <span class="muted">{effect}</span>}
              <PlaceLink place={place} crawler={crawler} />
            </li>
          ))}
        </ol>
      )}
      {entries.length > MAX_ENTRIES_SHOWN && (
        <p class="muted">
          The first {MAX_ENTRIES_SHOWN} of {entries.length} are shown; enter a URL to see what applies to it.
        </p>
      )}
    </Panel>
  );
}

const ResolvedUrl = ({ resolved, crawler }: { resolved: ResolvedUrlDto; crawler: string }): JSX.Element => (
  <>
    <Panel
      title="Final options"
      aside={
        <Badge tone={resolved.verdict.accepted ? 'good' : 'bad'}>
          {resolved.verdict.accepted ? 'would be crawled' : resolved.verdict.reason}
        </Badge>
      }
    >
      <Table name="Final options and what set them" headers={['Option', 'Value', 'Set by', 'Defined in']}>
        {resolved.options.map(({ name, value, setBy, place }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{value}</td>
            <td>{setBy}</td>
            <td>
              <PlaceLink place={place} crawler={crawler} />
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
    <Panel title="What each rule did">
      <Trace trace={resolved.steps} crawler={crawler} />
    </Panel>
  </>
);
