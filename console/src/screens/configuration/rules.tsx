import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { callForAnswer } from '../../api/client.js';
import type { RuleDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { showNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { loadConfiguration } from './load.js';
import { joinPart, type Part } from './part.js';
import { createFirstRulePart } from './part-text.js';
import { RuleEditor } from './rule-editor.js';
import { RuleRow } from './rule-row.js';
import { changeRules, findRulePart, type RuleChange } from './rule-text.js';

interface RuleList {
  readonly rules: readonly RuleDto[];
  readonly xml: string;
  readonly file: string;
  readonly etag: string;
}

async function loadRules(crawler: string, signal: AbortSignal): Promise<RuleList> {
  const [{ value }, configuration] = await Promise.all([
    callForAnswer('GET /api/v1/config/crawlers/{crawler}/rules', { path: { crawler }, signal }),
    loadConfiguration(signal),
  ]);
  return { rules: value.items, ...configuration };
}

export function Rules(): JSX.Element {
  const crawler = useCrawler()?.name;
  const list = useResource(crawler && `rules ${crawler}`, (signal) => loadRules(crawler!, signal));
  if (!crawler) return <NoCrawler />;
  return (
    <ResourceView resource={list}>
      {(loadedList) => <RuleTable key={loadedList.etag} crawler={crawler} list={loadedList} onChanged={list.reload} />}
    </ResourceView>
  );
}

interface ListProps {
  readonly crawler: string;
  readonly list: RuleList;
  readonly onChanged: () => void;
}

/** The rule that is being edited, or the index and place of a new one. */
type EditedRule = { readonly index: number; readonly rule?: RuleDto; readonly part: Part };

function RuleTable({ crawler, list: { rules, xml, file, etag }, onChanged }: ListProps): JSX.Element {
  const [editedRule, setEditedRule] = useState<EditedRule>();
  const [draft, setDraft] = useState<string>();
  const mayChange = useHasRole('admin');
  const proposeChange = (change: RuleChange): void => {
    try {
      setDraft(changeRules(xml, crawler, rules, change));
    } catch (error) {
      showNotice((error as Error).message, 'bad');
    }
  };
  const edit = (index: number, rule?: RuleDto): void => {
    try {
      const part =
        rules.length === 0
          ? createFirstRulePart(xml, crawler)
          : findRulePart(xml, crawler, rules, { kind: rule ? 'replace' : 'insert', index });
      setEditedRule({ index, rule, part });
    } catch (error) {
      showNotice((error as Error).message, 'bad');
    }
  };
  return (
    <Panel
      title={`Crawl rules of ${crawler}`}
      aside={
        <>
          <span>evaluated from top to bottom; a later rule overrides only the settings it names</span>
          {mayChange && (
            <button type="button" class="button primary" onClick={() => edit(rules.length)}>
              Add a rule…
            </button>
          )}
        </>
      }
    >
      {rules.length === 0 ? (
        <EmptyState>
          There are no crawl rules: the other rules and the defaults decide what is crawled. Add the first one.
        </EmptyState>
      ) : (
        <ol class="rules">
          {rules.map((rule) => (
            <RuleRow
              key={rule.index}
              rule={rule}
              lastIndex={rules.length - 1}
              editable={mayChange}
              onEdit={() => edit(rule.index, rule)}
              onChange={proposeChange}
            />
          ))}
        </ol>
      )}
      {editedRule && (
        <RuleEditor
          rule={editedRule.rule}
          file={file}
          part={editedRule.part}
          onDone={(text) => setDraft(joinPart(editedRule.part, text))}
          onClose={() => setEditedRule(undefined)}
        />
      )}
      {draft !== undefined && (
        <ApplyDialog
          title="What this change would do"
          draft={{ xml: draft }}
          etag={etag}
          onApplied={onChanged}
          onClose={() => setDraft(undefined)}
        />
      )}
    </Panel>
  );
}
