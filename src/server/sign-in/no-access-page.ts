/** The page for a person whom the provider knows, but whose claims grant no role. */
interface NoAccess {
  readonly name: string;
  readonly roleClaim: string;
  readonly claims: readonly string[];
  readonly signOutUrl?: string;
  readonly homeUrl: string;
}

const MAX_CLAIMS = 50;

export function createNoAccessPage({ name, roleClaim, claims, signOutUrl, homeUrl }: NoAccess): string {
  const names = claims.slice(0, MAX_CLAIMS).map((claim) => `<code>${escapeHtml(claim.slice(0, 100))}</code>`);
  const change = signOutUrl ? `<a href="${escapeHtml(signOutUrl)}">Sign in as somebody else</a> or ` : '';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>No access – Crawlway</title>
<h1>No access</h1>
<p>${escapeHtml(name)} has no access: no value of the claim <code>${escapeHtml(roleClaim)}</code> grants a role.</p>
<p>The provider sent the claims ${names.join(', ')}. If the claim is missing, the provider has to be told to send it; otherwise,
ask the operator of this server for a role (CRAWLWAY_OIDC_ROLES).</p>
<p>${change}<a href="${escapeHtml(homeUrl)}">go back to the console</a>.</p></html>`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
