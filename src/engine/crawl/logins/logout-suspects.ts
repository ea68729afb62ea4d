/**
 * Learns which pages end the session. The pages around the end of a session are suspected; the next visit of a suspect
 * is a trial, with a check of the session before and after it. One that fails the trial is not visited again.
 */
const MAX_URLS = 100;

export class LogoutSuspects {
  private readonly suspects = new Set<string>();
  private readonly onTrial = new Set<string>();
  private readonly proven = new Set<string>();
  private lastRead: string | undefined;

  noteRead(url: string): void {
    this.lastRead = url;
  }

  /**
   * @param url the page whose visit showed that the session had ended
   * @returns the page that probably ended it
   */
  noteSessionEnd(url: string | undefined): string | undefined {
    const { lastRead } = this;
    this.lastRead = undefined;
    if (url !== undefined && this.onTrial.delete(url)) {
      add(this.proven, url);
      this.suspects.delete(url);
      return url;
    }
    for (const suspect of [lastRead, url]) if (suspect !== undefined) add(this.suspects, suspect);
    return lastRead ?? url;
  }

  isSuspect(url: string): boolean {
    return this.suspects.has(url);
  }

  /** To be called when the session is alive right before the page is requested. */
  startTrial(url: string): void {
    add(this.onTrial, url);
  }

  isOnTrial(url: string): boolean {
    return this.onTrial.has(url);
  }

  /** To be called when the session is alive right after the page was requested. */
  acquit(url: string): void {
    this.onTrial.delete(url);
    this.suspects.delete(url);
  }

  endsSessions(url: string): boolean {
    return this.proven.has(url);
  }

  save(): readonly string[] {
    return [...this.proven];
  }

  restore(urls: readonly string[]): void {
    for (const url of urls) add(this.proven, url);
  }
}

function add(urls: Set<string>, url: string): void {
  if (urls.size >= MAX_URLS) urls.clear();
  urls.add(url);
}
