/** One browser tab, which renders the URLs of one site one after another. */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { parseSteps, type RenderStep } from '../../domain/render/steps.js';
import { type Guest, stripHash } from './guest-requests.js';
import {
  createClickScript,
  createConditionScript,
  createQuietScript,
  createSnapshotScript,
  MORE_SCRIPT,
  SCROLL_SCRIPT,
  type Snapshot,
} from './page-scripts.js';

/** The page is ready when nothing has happened for this long, neither in the document nor on the network. */
const QUIET_MS = 120;
const CHECK_INTERVAL_MS = 60;
const STEP_QUIET_MS = 150;
/** A page that keeps its process busy does not answer. */
const MAX_STOP_MS = 1_000;
const MAX_DOCUMENT_LENGTH = 16 * 1024 * 1024;

export interface RenderedPage extends Snapshot {
  readonly readiness: 'quiet' | 'condition' | 'time limit';
  readonly picture?: Uint8Array;
}

/** The page navigated somewhere else before it was ready. */
export class Moved extends Error {
  override readonly name = 'Moved';
  constructor(readonly target: string) {
    super(`the page navigated to ${target}`);
  }
}

export class TabFailed extends Error {
  override readonly name = 'TabFailed';
  constructor(
    readonly code: 'render-timeout' | 'render-crash' | 'render-memory',
    message: string,
  ) {
    super(message);
  }
}

export interface TabJob {
  readonly guest: Guest;
  readonly readyWhen: string | undefined;
  readonly steps: string | undefined;
  readonly timeLimit: number;
  readonly withPicture: boolean;
  readonly omitsFramedPages: boolean;
}

export class Tab {
  guest: Guest | undefined;
  uses = 0;
  private onCrash: (() => void) | undefined;

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly recordsName: string,
    private readonly session: CDPSession,
  ) {
    page.on('crash', () => this.onCrash?.());
    page.on('dialog', (dialog) => {
      const dialogClosed = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
      dialogClosed.catch(() => undefined);
    });
  }

  static async open(context: BrowserContext, recordsName: string): Promise<Tab> {
    const page = await context.newPage();
    return new Tab(page, context, recordsName, await context.newCDPSession(page));
  }

  /** Throws Moved or TabFailed; after TabFailed, the tab is unusable. */
  async render(job: TabJob): Promise<RenderedPage> {
    this.uses++;
    this.guest = job.guest;
    const deadline = performance.now() + job.timeLimit;
    const hangTimeout = job.timeLimit + 2_000;
    let timer: NodeJS.Timeout | undefined;
    const failure = new Promise<never>((_, reject) => {
      this.onCrash = () => reject(new TabFailed('render-crash', "the page's process ended"));
      timer = setTimeout(
        () =>
          reject(
            new TabFailed(
              'render-timeout',
              `its scripts kept the page busy, so it could not be read within ${hangTimeout / 1000} s`,
            ),
          ),
        hangTimeout,
      );
    });
    const navigation = new Promise<never>((_, reject) => {
      job.guest.onNavigate = (url) => reject(new Moved(url));
    });
    for (const promise of [failure, navigation]) promise.catch(() => undefined);
    try {
      return await Promise.race([this.renderPage(job, deadline), failure, navigation]);
    } catch (error) {
      // The scripts of this page would go on, and their next navigation would be taken for one of the next page.
      if (error instanceof Moved) await this.stopScripts();
      throw error;
    } finally {
      clearTimeout(timer);
      this.onCrash = undefined;
      this.guest = undefined;
    }
  }

  private async renderPage(job: TabJob, deadline: number): Promise<RenderedPage> {
    const { guest } = job;
    // Navigating to another fragment of the open document would load nothing.
    if (guest.url.includes('#') && stripHash(this.page.url()) === stripHash(guest.url)) await this.stopScripts();
    await this.page.goto(guest.url, { waitUntil: 'commit', timeout: job.timeLimit }).catch(rethrowTimeout);
    let readiness = await this.waitUntilReady(job, deadline);
    const routes: string[] = [];
    const steps = job.steps === undefined ? undefined : parseSteps(job.steps);
    if (steps) {
      guest.onNavigate = (url) => routes.push(url);
      for (const step of steps) await this.runStep(step, guest, deadline);
      readiness = performance.now() >= deadline ? 'time limit' : readiness;
    }
    const picture = job.withPicture ? await this.takeScreenshot() : undefined;
    const url = stripHash(guest.url);
    const script = createSnapshotScript(this.recordsName, url, job.omitsFramedPages);
    const snapshot = await this.evaluate<Snapshot>(script);
    if (snapshot.html.length > MAX_DOCUMENT_LENGTH)
      throw new TabFailed('render-memory', `its scripts created a document of ${snapshot.html.length} characters`);
    return { html: snapshot.html, routes: [...snapshot.routes, ...routes], readiness, picture };
  }

  private async waitUntilReady({ guest, readyWhen }: TabJob, deadline: number): Promise<RenderedPage['readiness']> {
    while (performance.now() < deadline) {
      if (readyWhen !== undefined) {
        if (await this.withDeadline(deadline, this.evaluate<boolean>(createConditionScript(readyWhen))))
          return 'condition';
        await pause(Math.min(CHECK_INTERVAL_MS, deadline - performance.now()));
      } else if (await this.waitForQuiet(guest, QUIET_MS, deadline)) return 'quiet';
    }
    return 'time limit';
  }

  private async waitForQuiet(guest: Guest, quietMs: number, deadline: number): Promise<boolean> {
    if (guest.inFlight > 0) {
      await pause(Math.min(CHECK_INTERVAL_MS / 2, deadline - performance.now()));
      return false;
    }
    const activityBefore = guest.activityCount;
    const quietReached = this.evaluate(createQuietScript(this.recordsName, quietMs)).then(() => true);
    if ((await this.withDeadline(deadline, quietReached)) !== true) return false;
    return guest.inFlight === 0 && guest.activityCount === activityBefore;
  }

  private async runStep(step: RenderStep, guest: Guest, deadline: number): Promise<void> {
    if (step.do === 'wait') {
      await pause(Math.max(0, Math.min(step.time, deadline - performance.now())));
      return;
    }
    const repetitions = step.do === 'click' ? 1 : step.times;
    let amount = 0;
    for (let repetition = 0; repetition < repetitions && performance.now() < deadline; repetition++) {
      const script =
        step.do === 'click' ? createClickScript(step.select) : step.do === 'more' ? MORE_SCRIPT : SCROLL_SCRIPT;
      const result = await this.withDeadline(deadline, this.evaluate<unknown>(script));
      if (step.do === 'more') {
        // The amount before what this round has asked for.
        if (typeof result !== 'number' || result <= amount) return;
        amount = result;
      }
      await pause(CHECK_INTERVAL_MS / 2);
      while (performance.now() < deadline && !(await this.waitForQuiet(guest, STEP_QUIET_MS, deadline)));
    }
  }

  /** Resolves with undefined if the deadline comes first. */
  private async withDeadline<T>(deadline: number, work: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.max(0, deadline - performance.now()));
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async takeScreenshot(): Promise<Uint8Array | undefined> {
    return this.page.screenshot({ type: 'jpeg', quality: 60, timeout: 5_000 }).catch(() => undefined);
  }

  private async evaluate<T>(script: string): Promise<T> {
    return (await this.page.evaluate(script)) as T;
  }

  /** Closes the page, even if it is no longer responding. */
  async kill(): Promise<void> {
    this.session.send('Page.crash').catch(() => undefined);
    await Promise.race([this.page.close().catch(() => undefined), pause(2_000)]);
  }

  /** Stops the page's scripts. */
  async stopScripts(): Promise<void> {
    // A script that navigates all the time would interrupt the navigation that ends it.
    const setDisabled = (value: boolean) =>
      Promise.race([
        this.session.send('Emulation.setScriptExecutionDisabled', { value }).catch(() => undefined),
        pause(MAX_STOP_MS),
      ]);
    await setDisabled(true);
    await this.page.goto('about:blank', { timeout: 5_000 }).catch(() => undefined);
    await setDisabled(false);
  }
}

function rethrowTimeout(error: Error): never {
  if (error.name !== 'TimeoutError') throw error;
  throw new TabFailed('render-timeout', 'the browser did not open the page within the time limit');
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, time)));
