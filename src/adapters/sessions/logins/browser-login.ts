/** Logs in with the browser, for sites that need scripts; pages are then fetched without it, with the cookies that it got. */
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import { Secret } from '../../../domain/secret.js';
import { milliseconds } from '../../../domain/time/units.js';
import type { BrowserLoginReport } from '../../../engine/ports/fetcher.js';
import type { LoginResult, LoginTools } from '../../../engine/ports/login-method.js';
import { CookieLogin } from './cookie-login.js';
import { removeQuery, revealValue } from './form-submission.js';

/** Time for the whole login. */
const TIME_LIMIT = milliseconds(90_000);

export class BrowserLoginSession extends CookieLogin<LoginDefinitionOf<'browser'>> {
  async login(tools: LoginTools): Promise<LoginResult> {
    this.forget();
    const { page, url, sendTo, steps, fields } = this.definition;
    const outcome = await tools.fetch({
      url: page,
      engine: 'browser',
      totalTimeout: TIME_LIMIT,
      browserLogin: {
        steps,
        values: Object.fromEntries(fields.map((field) => [field.name, new Secret(revealValue(field, tools.now()))])),
        origins: [...new Set([new URL(page).origin, new URL(url).origin, ...sendTo])],
      },
    });
    if (outcome.kind === 'failure') {
      const detail = `the browser could not log in: ${outcome.detail}`;
      tools.report({ what: 'opened the browser', detail });
      return { kind: 'unreachable', detail };
    }
    const report = JSON.parse(new TextDecoder().decode(outcome.body)) as BrowserLoginReport;
    for (const { url: shown, ...step } of report.steps)
      tools.report({ ...step, ...(shown === undefined ? {} : { url: removeQuery(shown) }) });
    const { failure, text, pages, cookies } = report;
    const { lockedText, refusedText } = this.definition;
    const says = (kind: 'locked' | 'refused', detail: string): LoginResult => {
      tools.report({ what: 'checked whether the login succeeded', detail });
      return { kind, detail };
    };
    if (lockedText !== undefined && text.includes(lockedText))
      return says('locked', 'the site says that the account is locked');
    if (refusedText !== undefined && text.includes(refusedText))
      return says('refused', 'the site says that the user or the password is wrong');
    if (failure) {
      tools.report({ what: 'stopped', detail: failure.detail });
      return failure;
    }
    for (const { url: owner, cookie } of cookies) await this.jar.storeCookies(owner, cookie);
    // The page after the last one that took the login is an ordinary one.
    this.hops = pages.slice(0, -1);
    return this.enter(tools, pages.at(-1) ?? page, pages.length > 1);
  }
}
