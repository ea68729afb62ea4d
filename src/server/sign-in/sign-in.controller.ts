import { Controller, Get, HttpException, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditLog } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import { Operation } from '../http/operation.js';
import { ProblemException } from '../http/problem.js';
import { type Answer, ownSchema, text } from '../http/schema.js';
import { formatGrant } from '../security/api-keys.js';
import { AUDIT_LOG, CLOCK, LOG, SIGN_IN } from '../tokens.js';
import type { Person } from './openid-provider.js';
import type { SignIn } from './sign-in.js';
import {
  clearPendingCookie,
  clearSessionCookie,
  readPendingSignIn,
  readSessionToken,
  setPendingCookie,
  setSessionCookie,
} from './sign-in-cookies.js';

const signInSchema = ownSchema('SignIn', {
  provider: text(
    'Example staff',
    'Name of the provider with which people sign in. Absent if only keys are accepted.',
  ).optional(),
});

const signOutSchema = ownSchema('SignOut', {
  continueAt: text(
    'https://id.example.com/logout?id_token_hint=…',
    'Where the provider ends its own session. Absent if there is no session, or the provider offers no such page.',
  ).optional(),
});

const PROVIDER_PROBLEMS = {
  404: 'Sign-in is not configured on this server.',
  502: 'The provider is not responding, or its response is invalid.',
};

@Controller('auth')
export class SignInController {
  constructor(
    @Inject(SIGN_IN) private readonly signIn: SignIn | undefined,
    @Inject(AUDIT_LOG) private readonly audit: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Get()
  @Operation({
    id: 'getSignIn',
    summary: 'How people sign in',
    description: 'Whether the console can be opened without a key, and the provider with which people sign in.',
    role: 'open',
  })
  @ApiOkResponse({ schema: signInSchema.ref })
  getProvider(): Answer<typeof signInSchema> {
    return this.signIn ? { provider: this.signIn.label } : {};
  }

  @Get('sign-in')
  @Operation({
    id: 'beginSignIn',
    summary: 'Sign in with OpenID Connect',
    description:
      'Sends the browser to the provider; after the sign-in, the browser returns to `to`, a path of the console.',
    role: 'open',
    problems: PROVIDER_PROBLEMS,
  })
  @ApiFoundResponse({ description: 'Redirect to the provider.' })
  async beginSignIn(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('to') to?: unknown,
  ): Promise<void> {
    const signIn = this.requireSignIn();
    const { url, pending } = await signIn.provider
      .beginSignIn(
        signIn.createCallbackUrl(request).href,
        typeof to === 'string' && to.length <= MAX_PATH_LENGTH ? to : '/',
      )
      .catch((error: unknown) => this.failSignIn('cannot be reached', error));
    setPendingCookie(reply, pending, signIn.isSecure);
    reply.header('cache-control', 'no-store').redirect(url.href, 302);
  }

  @Get('callback')
  @Operation({
    id: 'finishSignIn',
    summary: 'Return from the provider',
    description: "Checks the provider's response, begins a session and returns to the console.",
    role: 'open',
    problems: { ...PROVIDER_PROBLEMS, 403: 'The provider refuses the sign-in, or the user has no role.' },
  })
  @ApiFoundResponse({ description: 'Redirect to the console.' })
  async finishSignIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const signIn = this.requireSignIn();
    const pending = readPendingSignIn(request, signIn.isSecure);
    clearPendingCookie(reply, signIn.isSecure);
    // The provider also sends browsers here after they have signed out.
    if (new URL(request.url, 'http://own.invalid').search === '' && !pending)
      return void reply.redirect(signIn.createPublicUrl('/', request).href, 302);
    if (!pending)
      throw new HttpException('No sign-in was started in this browser, or it has expired. Start again.', 403);
    const callbackUrl = signIn.createCallbackUrl(request);
    callbackUrl.search = new URL(request.url, callbackUrl).search;
    if (callbackUrl.searchParams.get('error') === 'access_denied')
      throw new HttpException('The provider refused the sign-in.', 403);
    const person = await signIn.provider
      .finishSignIn(callbackUrl, pending)
      .catch((error: unknown) => this.failSignIn('sent a response that cannot be verified', error));
    await this.recordSignIn(person);
    if (person.roles.length === 0) return void this.refusePerson(signIn, person, request, reply);
    const token = await signIn.sessions.createSession({ name: person.name, grants: person.roles }, person.grant);
    setSessionCookie(reply, token, signIn.isSecure);
    reply
      .header('cache-control', 'no-store')
      .redirect(signIn.createPublicUrl(toOwnPath(pending.to), request).href, 302);
  }

  @Post('sign-out')
  @Operation({
    id: 'signOut',
    summary: 'Sign out',
    description:
      'Ends the session of this browser. The provider signs the user in again without asking unless the browser is sent to `continueAt`.',
    role: 'open',
    writes: false,
  })
  @ApiOkResponse({ schema: signOutSchema.ref })
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer<typeof signOutSchema>> {
    const { signIn } = this;
    if (!signIn) return {};
    const token = readSessionToken(request, signIn.isSecure);
    clearSessionCookie(reply, signIn.isSecure);
    if (token === undefined) return {};
    const grant = signIn.sessions.findGrant(token);
    await signIn.sessions.endSession(token);
    const url = await signIn.provider.createSignOutUrl(grant, signIn.createCallbackUrl(request).href);
    return url ? { continueAt: url.href } : {};
  }

  /** A page with a way out: the browser has not come from the console, which could show an error. */
  private async refusePerson(signIn: SignIn, person: Person, request: FastifyRequest, reply: FastifyReply) {
    const signOutUrl = await signIn.provider.createSignOutUrl(person.grant, signIn.createCallbackUrl(request).href);
    const { roleClaim } = signIn;
    const page = createNoAccessPage({
      ...person,
      roleClaim,
      signOutUrl: signOutUrl?.href,
      homeUrl: signIn.createPublicUrl('/', request).href,
    });
    reply.status(403).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page);
  }

  private requireSignIn(): SignIn {
    if (this.signIn) return this.signIn;
    throw new ProblemException(
      'not-found',
      'Sign-in is not configured on this server: CRAWLWAY_OIDC_ISSUER is not set.',
    );
  }

  /** The provider's message is only logged, because it may contain more than the browser should know. */
  private failSignIn(failure: string, error: unknown): never {
    const { message, code, cause } = error as Error & { code?: string };
    this.log.warn(`the sign-in provider ${failure}`, { error: message, code, cause: String(cause ?? '') });
    throw new HttpException(`The sign-in provider ${failure}; see the server log for the reason.`, 502);
  }

  private recordSignIn({ name, roles, issuer, grant: { subject } }: Person): Promise<void> {
    const role = roles.map(formatGrant).join(' ') || undefined;
    const outcome = role ? 'done' : 'refused: no role';
    const entry = { at: this.clock.now(), who: name, what: 'signIn', target: '/auth/callback', outcome };
    return this.audit.append({ ...entry, before: '', after: JSON.stringify({ role, issuer, subject }) });
  }
}

/**
 * Allows only a path of this server: anything else could send people elsewhere, such as `/.//host`, which becomes
 * `//host`.
 */
function toOwnPath(to: string): string {
  const url = URL.parse(to, 'http://own.invalid');
  return url?.origin === 'http://own.invalid' ? url.pathname.replace(/^\/+/, '/') + url.search : '/';
}

/** So that the cookie that keeps the path is not too large for browsers. */
const MAX_PATH_LENGTH = 2_000;

/** The page for a person whom the provider knows, but whose claims grant no role. */
interface NoAccess {
  readonly name: string;
  readonly roleClaim: string;
  readonly claims: readonly string[];
  readonly signOutUrl?: string;
  readonly homeUrl: string;
}

const MAX_CLAIMS = 50;

function createNoAccessPage({ name, roleClaim, claims, signOutUrl, homeUrl }: NoAccess): string {
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
