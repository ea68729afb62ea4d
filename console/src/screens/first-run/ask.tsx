import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiProblem } from '../../api/client.js';
import type { ElementFormDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { Failure } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { readContact } from './configured-sinks.js';
import { type CrawlSettings, findPrivateRange, getDomain, getFolder, type Scope } from './crawl-draft.js';
import { EMPTY_SINK, findUnusedSinkName, type SinkChoice, SinkFields } from './sink-fields.js';

interface CrawlFormProps {
  readonly settings?: CrawlSettings;
  readonly sinks: readonly { readonly name: string; readonly type: string; readonly url: string }[];
  /** Names of the existing crawlers. */
  readonly takenNames: readonly string[];
  /** The configuration in force. */
  readonly xml: string;
  /** What can be set in a sink. */
  readonly sinkForm: ElementFormDto;
  readonly onSubmit: (wish: CrawlSettings) => Promise<void>;
}

/** Parses an address as users type it. Without a scheme, it is https, or http on a private network. */
function parseAddress(input: string): URL | undefined {
  const text = input.trim();
  if (/^https?:\/\//i.test(text)) return URL.parse(text) ?? undefined;
  const url = URL.parse(`https://${text}`);
  if (!url?.hostname) return undefined;
  return findPrivateRange(url.hostname) === undefined ? url : (URL.parse(`http://${text}`) ?? undefined);
}

export function CrawlForm({ settings, sinks, takenNames, xml, sinkForm, onSubmit }: CrawlFormProps): JSX.Element {
  const [typedAddress, setTypedAddress] = useState(settings?.url.href ?? '');
  const [scope, setScope] = useState<Scope>(settings?.scope ?? 'site');
  const [pause, setPause] = useState(String(settings?.pauseSeconds ?? 2.5));
  const [allow, setAllow] = useState(settings?.allow);
  const [contact, setContact] = useState(() => settings?.contact ?? readContact(xml));
  const [sink, setSink] = useState<SinkChoice>(() => getInitialSink(settings, sinks));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const url = parseAddress(typedAddress);
  const range = allow ?? (url && findPrivateRange(url.hostname)) ?? '';
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!url) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit({
        name: findUnusedName(url, takenNames),
        url,
        scope,
        pauseSeconds: Number(pause),
        sink: sink.name,
        newSink: sink.newSink,
        allow: range || undefined,
        contact,
      });
    } catch (error) {
      setProblem(toApiProblem(error));
      setBusy(false);
    }
  };
  return (
    <Panel title="Which site?" class="reading">
      <form class="stack" onSubmit={submit}>
        <div class="field">
          <label for="site">Address of the site</label>
          <input
            id="site"
            class="mono"
            required
            autofocus
            spellcheck={false}
            placeholder="https://www.example.com/"
            value={typedAddress}
            onInput={(event) => setTypedAddress(event.currentTarget.value)}
          />
          {typedAddress.trim() !== '' && !url && <span role="alert">This is not a web address.</span>}
        </div>
        <ScopeChoice url={url} scope={scope} onChange={setScope} />
        <SinkFields sinks={sinks} choice={sink} onChange={setSink} xml={xml} form={sinkForm} />
        <div class="field">
          <label for="pause">Pause between two requests, in seconds</label>
          <input
            id="pause"
            type="number"
            min={0}
            max={3600}
            step="any"
            required
            value={pause}
            onInput={(event) => setPause(event.currentTarget.value)}
          />
          <span class="hint">
            2.5 seconds is polite for other people's sites. For your own sites, less may be acceptable.
          </span>
        </div>
        <div class="field">
          <label for="contact">Contact for site operators</label>
          <input
            id="contact"
            class="mono"
            spellcheck={false}
            placeholder="https://www.example.com/our-crawler"
            value={contact}
            onInput={(event) => setContact(event.currentTarget.value)}
          />
          <span class="hint">
            A page about your crawler, or an email address. It is sent with each request, because sites block crawlers
            that they do not recognize.
          </span>
        </div>
        <div class="field">
          <label for="allow">Private addresses to allow, such as 10.0.0.0/8 (intranets only)</label>
          <input
            id="allow"
            class="mono"
            placeholder="10.0.0.0/8"
            value={range}
            onInput={(event) => setAllow(event.currentTarget.value)}
          />
          <span class="hint">
            Addresses of this machine and of private networks are refused unless they are explicitly allowed.
          </span>
        </div>
        {problem && <Failure problem={problem} />}
        <footer class="actions end">
          <button type="submit" class="button primary" disabled={busy || !url}>
            {busy ? 'Loading the page…' : 'Show what would be crawled'}
          </button>
        </footer>
      </form>
    </Panel>
  );
}

function getInitialSink(settings: CrawlSettings | undefined, sinks: CrawlFormProps['sinks']): SinkChoice {
  if (settings) return { name: settings.sink, newSink: settings.newSink };
  const [firstSink] = sinks;
  return firstSink ? { name: firstSink.name } : { name: findUnusedSinkName(sinks), newSink: EMPTY_SINK };
}

function ScopeChoice({
  url,
  scope,
  onChange,
}: {
  url?: URL;
  scope: Scope;
  onChange: (scope: Scope) => void;
}): JSX.Element {
  const labels: Readonly<Record<Scope, string>> = {
    site: `The site: ${url?.host ?? 'this host'}${url && isBareName(url) ? ', with and without www' : ''}`,
    folder: `This folder and below: ${url ? getFolder(url) : '…'}`,
    domain: `The domain with all its hosts: ${url ? getDomain(url) : '…'}`,
  };
  return (
    <fieldset class="fieldset">
      <legend>How much of the site?</legend>
      {Object.entries(labels).map(([value, label]) => (
        <div key={value}>
          <label class="check">
            <input type="radio" name="scope" checked={scope === value} onChange={() => onChange(value as Scope)} />
            {label}
          </label>
        </div>
      ))}
    </fieldset>
  );
}

/** Whether the site also includes the host name with www. A site at www.example.com is only that host. */
const isBareName = ({ hostname }: URL): boolean => /[a-z]\.[a-z]/i.test(hostname) && !hostname.startsWith('www.');

function findUnusedName(url: URL, takenNames: readonly string[]): string {
  const base = url.host.replace(/^www\./, '').replace(/[^\w.-]/g, '-');
  let name = base;
  for (let suffix = 2; takenNames.includes(name); suffix++) name = `${base}-${suffix}`;
  return name;
}
