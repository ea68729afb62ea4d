/** A local OpenID provider, used by its author to certify his client. Any requested user can sign in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

const CLIENT = { id: 'crawlway', secret: 'a-secret-of-the-client-0123456789' };

export class TestProvider {
  private handle: ReturnType<Provider['callback']> | undefined;

  private constructor(readonly issuer: string) {}

  /** `onEnd` registers the cleanup of the test. */
  static async start(onEnd: (close: () => void) => void = onTestFinished): Promise<TestProvider> {
    let provider: TestProvider | undefined;
    const server = createServer((request, response) => provider!.handle!(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider = new TestProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return provider;
  }

  /** @param groups of each user, by login name */
  serve(redirectUri: string, groups: Readonly<Record<string, readonly string[]>>): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [redirectUri],
        },
      ],
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, preferred_username: id.split('-')[0], groups: [...(groups[id] ?? [])] }),
      }),
      cookies: { keys: ['a-key-for-tests'] },
    });
    this.handle = provider.callback();
  }

  environment(roles: string): Record<string, string> {
    return {
      CRAWLWAY_OIDC_ISSUER: this.issuer,
      CRAWLWAY_OIDC_CLIENT_ID: CLIENT.id,
      CRAWLWAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      CRAWLWAY_OIDC_ROLES: roles,
      CRAWLWAY_OIDC_LABEL: 'the museum',
    };
  }
}
