/** Edits crawl space, server records and conditions as separate texts, and shows their errors while typing. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { RuleFileDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { Panel } from '../../ui/panel.js';
import { type LoadedConfiguration, loadConfiguration } from './load.js';
import { listPartGroups, type PartGroup } from './other-parts.js';
import { PartEditor, type PartText } from './part-editor.js';
import { hasUnsavedText } from './unsaved.js';

interface Texts extends LoadedConfiguration {
  readonly files: readonly RuleFileDto[];
}

async function loadTexts(signal: AbortSignal): Promise<Texts> {
  const [configuration, { items }] = await Promise.all([
    loadConfiguration(signal),
    call('GET /api/v1/config/files', { signal }),
  ]);
  return { ...configuration, files: items };
}

export function OtherRules(): JSX.Element {
  const crawler = useCrawler()?.name;
  const texts = useResource('other rules', loadTexts);
  if (!crawler) return <NoCrawler />;
  return (
    <ResourceView resource={texts}>
      {(configuration) => (
        <div class="stack" key={`${crawler} ${configuration.etag}`}>
          {listPartGroups(configuration.xml, crawler, configuration.files).map((group) => (
            <PartGroupEditor
              key={group.kind.element}
              crawler={crawler}
              group={group}
              configuration={configuration}
              onApplied={texts.reload}
            />
          ))}
        </div>
      )}
    </ResourceView>
  );
}

interface PartGroupProps {
  readonly crawler: string;
  readonly group: PartGroup;
  readonly configuration: LoadedConfiguration;
  readonly onApplied: () => void;
}

function PartGroupEditor({
  crawler,
  group: { kind, parts, newPart },
  configuration,
  onApplied,
}: PartGroupProps): JSX.Element {
  const { query } = useRoute();
  const formatTitle = ({ title }: PartText): string => `${crawler} ${title}`;
  const [adding, setAdding] = useState(newPart !== undefined && hasUnsavedText(formatTitle(newPart)));
  const mayChange = useHasRole('admin');
  const findLine = (file: string | undefined): number | undefined =>
    file !== undefined && file === query.get('file') ? Number(query.get('line')) || undefined : undefined;
  if (newPart && !adding) {
    return (
      <Panel
        title={kind.title}
        aside={
          mayChange && (
            <button type="button" class="button" onClick={() => setAdding(true)}>
              Add {kind.title.toLowerCase()}…
            </button>
          )
        }
      >
        <p>
          None yet. <span class="muted">{kind.purpose}</span>
        </p>
      </Panel>
    );
  }
  return (
    <>
      {(newPart ? [newPart] : parts).map((part) => (
        <PartEditor
          key={part.title}
          name={formatTitle(part)}
          part={part}
          configuration={configuration}
          line={findLine(part.file)}
          onApplied={onApplied}
        />
      ))}
    </>
  );
}
