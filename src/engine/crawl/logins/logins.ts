/** All logins of a server: which one a URL needs, their states, and their sessions across restarts. */
import { createHash } from 'node:crypto';
import type { ServerDefinition } from '../../../domain/crawl/definition.js';
import { createLoginChooser, type LoginChooser, type LoginDefinition } from '../../../domain/crawl/logins.js';
import { Secret } from '../../../domain/secret.js';
import { getHostKey, toCrawlUrl } from '../../../domain/url/crawl-url.js';
import type { RequestSession } from '../../ports/fetcher.js';
import type { Settings } from '../../ports/frontier-store.js';
import type { CreateLogin } from '../../ports/login-method.js';
import type { PageProcessor } from '../../ports/page-processor.js';
import type { Ports } from '../../ports/ports.js';
import { createUnknownNameError } from '../../support/api-errors.js';
import type { CrawlEvents } from '../../support/crawl-events.js';
import { LoginSession, type LoginSnapshot, type LoginState, type LoginStatus } from './login-session.js';

/** Makes strings unreadable to anyone who can only read the database. */
export interface TextSeal {
  seal(text: string): string;
  /** @throws Error when the text was sealed with a different key */
  open(text: string): string;
}

export interface LoginServices extends Pick<Ports, 'clock' | 'log' | 'partitions'> {
  readonly store: Settings;
  readonly processor: Pick<PageProcessor, 'fetch'>;
  readonly events: CrawlEvents;
  readonly createLogin?: CreateLogin;
  /** Absent if sessions are not to survive a restart. */
  readonly seal?: TextSeal;
}

export interface LoginView extends LoginStatus {
  readonly name: string;
  readonly type: LoginDefinition['type'];
  readonly url: string;
  readonly fetcher: string;
}

interface Entry {
  readonly fetcher: string;
  readonly fingerprint: string;
  readonly session: LoginSession;
}

export class Logins {
  private readonly entries = new Map<string, Entry>();
  private choosers = new Map<string, LoginChooser>();
  /** Called when a login works again: pages that failed without it may be visited. */
  onRecovery: (login: LoginDefinition) => void = () => {};
  /** Called before a user's test: the secret may have been changed because of it. */
  renewSecrets: () => Promise<void> = () => Promise.resolve();
  /** One after the other: a connection to the database that is faster must not let an earlier state win. */
  private lastSave: Promise<void> = Promise.resolve();

  constructor(private readonly services: LoginServices) {}

  /**
   * Takes over the configured logins. A login whose definition has changed, secrets included, starts over; the others
   * stay logged in.
   */
  async configure({ fetchers }: ServerDefinition): Promise<void> {
    const names = new Set<string>();
    const choosers = new Map<string, LoginChooser>();
    for (const fetcher of fetchers) {
      const chooser = createLoginChooser(fetcher.logins);
      if (chooser) choosers.set(fetcher.name, chooser);
      for (const login of fetcher.logins) {
        names.add(login.name);
        await this.openLogin(login, fetcher.name);
      }
    }
    // In one step: pages are requested meanwhile.
    this.choosers = choosers;
    for (const name of this.entries.keys()) if (!names.has(name)) this.entries.delete(name);
  }

  /** Finds the login that a URL needs; costs nothing if no fetcher has logins. */
  find(fetcher: string, href: string, option: string | undefined): LoginSession | undefined {
    if (this.choosers.size === 0) return undefined;
    const login = this.choosers.get(fetcher)?.(href, option);
    return login && this.entries.get(login.name)?.session;
  }

  /**
   * Returns the client certificate for a request for robots.txt: it belongs to the connection, so without it, not even
   * robots.txt can be requested. Other logins are not used for robots.txt.
   */
  findRobotsSession(fetcher: string, href: string): Promise<RequestSession> | undefined {
    const login = this.find(fetcher, href, undefined);
    return login?.definition.type === 'certificate' ? login.getUntriedSession(href) : undefined;
  }

  list(): LoginView[] {
    return [...this.entries.values()].map((entry) => toView(entry));
  }

  /** The logins whose hosts belong to this node: it alone uses them, so it alone knows their states. */
  listOwned(): LoginView[] {
    return this.list().filter(({ url }) => this.services.partitions.owns(toHostKey(url)));
  }

  /** @throws NotFound */
  getHostKey(name: string): string {
    return toHostKey(this.getEntry(name).session.definition.url);
  }

  /**
   * Logs in at once, whatever the result of earlier attempts.
   * @throws NotFound
   */
  async test(name: string): Promise<LoginView> {
    await this.renewSecrets();
    const entry = this.getEntry(name);
    await entry.session.test();
    return toView(entry);
  }

  /**
   * To be called before hosts are assigned to this node: their logins continue as the previous owner has left them, so
   * that one that a site refuses is not tried again by each node in turn.
   */
  async takeOver(isAssigned: (hostKey: string) => boolean): Promise<void> {
    for (const entry of this.forget(isAssigned)) {
      const snapshot = await this.readSnapshot(entry.session.name, entry.fingerprint);
      if (snapshot) await entry.session.restore(snapshot);
    }
  }

  /** Forgets the states of logins to hosts that belong to another node now. */
  forget(isLost: (hostKey: string) => boolean): readonly Entry[] {
    const lost = [...this.entries.values()].filter(({ session }) => isLost(toHostKey(session.definition.url)));
    return lost.map((entry) => this.addEntry(entry, entry.session.definition));
  }

  /** Resolves when the states of all logins have been saved. */
  whenSaved(): Promise<void> {
    return this.lastSave;
  }

  private getEntry(name: string): Entry {
    const entry = this.entries.get(name);
    if (!entry) throw createUnknownNameError('login', name, [...this.entries.keys()]);
    return entry;
  }

  private async openLogin(login: LoginDefinition, fetcher: string): Promise<void> {
    const fingerprint = computeFingerprint(login, fetcher);
    const previous = this.entries.get(login.name);
    if (previous?.fingerprint === fingerprint) return;
    const { session } = this.addEntry({ fetcher, fingerprint }, login);
    if (previous) {
      const { state } = previous.session.status;
      // Whoever changed it wants to know whether it works now, and URLs waiting for it must not wait for the next
      // visit.
      if (state === 'failing' || state === 'stopped') void session.test();
      return;
    }
    // Otherwise, it is read when the host is assigned to this node.
    if (!this.services.partitions.owns(toHostKey(login.url))) return;
    const snapshot = await this.readSnapshot(login.name, fingerprint);
    if (snapshot) await session.restore(snapshot);
  }

  private addEntry({ fetcher, fingerprint }: Omit<Entry, 'session'>, login: LoginDefinition): Entry {
    const { processor, clock, createLogin } = this.services;
    if (!createLogin) throw new Error('this server has no support for logins');
    const session = new LoginSession(login, createLogin(login), {
      fetch: (request) => processor.fetch({ ...request, fetcher }),
      now: () => clock.now(),
      sleep: (wait) => clock.sleep(wait),
      onRecovery: ({ definition }) => this.onRecovery(definition),
      onChange: (changedSession, previousState) => this.handleChange(changedSession, previousState),
    });
    const entry = { fetcher, fingerprint, session };
    this.entries.set(login.name, entry);
    return entry;
  }

  private handleChange(session: LoginSession, previousState: LoginState): void {
    const { name, status } = session;
    const { state, detail } = status;
    this.lastSave = this.lastSave
      .then(() => this.save(session))
      .catch((error: unknown) => {
        this.services.log.warn('could not save the session of a login', { login: name, error: String(error) });
      });
    if (state === previousState) return;
    this.services.events.emit({ type: 'login', login: name, state, message: detail });
  }

  private async save(session: LoginSession): Promise<void> {
    const { seal, store } = this.services;
    const entry = this.entries.get(session.name);
    if (entry?.session !== session) return;
    const { session: secret, ...plain } = session.toSnapshot();
    const sealed = seal?.seal(JSON.stringify({ fingerprint: entry.fingerprint, session: secret }));
    const isPlain = plain.refused === 0 && plain.recent === undefined && plain.logoutUrls === undefined;
    if (isPlain && secret === undefined) await store.putSetting(getSettingName(session.name), undefined);
    else await store.putSetting(getSettingName(session.name), JSON.stringify({ ...plain, sealed }));
  }

  private async readSnapshot(name: string, fingerprint: string): Promise<LoginSnapshot | undefined> {
    const text = await this.services.store.getSetting(getSettingName(name));
    if (text === undefined) return undefined;
    try {
      const { sealed, ...plain } = JSON.parse(text) as Omit<LoginSnapshot, 'session'> & { sealed?: string };
      if (sealed === undefined) return plain;
      if (!this.services.seal) return plain;
      const unsealed = JSON.parse(this.services.seal.open(sealed)) as { fingerprint: string; session?: string };
      // If the secret has changed, results obtained with the previous one no longer apply.
      return unsealed.fingerprint === fingerprint ? { ...plain, session: unsealed.session } : undefined;
    } catch {
      return undefined;
    }
  }
}

const toHostKey = (url: string): string => getHostKey(toCrawlUrl(url));

const getSettingName = (name: string): string => `login:${name}`;

const toView = ({ fetcher, session }: Entry): LoginView => {
  const { name, type, url } = session.definition;
  return { name, type, url, fetcher, ...session.status };
};

/** A digest of everything that defines the login, secrets included; it stays in memory or is stored sealed. */
function computeFingerprint(login: LoginDefinition, fetcher: string): string {
  const text = JSON.stringify({ login, fetcher }, function (this: Record<string, unknown>, key, value: unknown) {
    const original = this[key];
    if (original instanceof Secret) return original.reveal();
    return key === 'place' ? undefined : value;
  });
  return createHash('sha256').update(text).digest('hex');
}
