import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, setKey } from '../api/client.js';
import { useResource } from '../state/resource.js';

/** Characters that an HTTP header cannot contain: the browser would refuse to send any call with such a key. */
const UNSENDABLE_CHARACTERS = /[^ -~\u0080-\u00ff]/;

/** The address to return to after signing in. */
const getCurrentAddress = (): string => location.pathname + location.search;

export function SignIn({ wrongKey, onSignedIn }: { wrongKey: boolean; onSignedIn: () => void }): JSX.Element {
  const [typedKey, setTypedKey] = useState('');
  const [inBrowser, setInBrowser] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // `autofocus` is not reliable for an element that is added after the page has loaded.
  useEffect(() => field.current?.focus(), []);
  const provider = useResource('sign-in', (signal) => call('GET /auth', { signal })).value?.provider;
  const key = typedKey.trim();
  const isSendable = !UNSENDABLE_CHARACTERS.test(key);
  const signIn = (event: Event): void => {
    event.preventDefault();
    if (!isSendable) return;
    setKey(key, { inBrowser });
    onSignedIn();
  };
  return (
    <main class="sign-in">
      <form class="panel stack" onSubmit={signIn}>
        <h1>Crawlway</h1>
        {provider !== undefined && (
          <>
            <a
              class="button primary"
              href={`/auth/sign-in?${new URLSearchParams({ to: getCurrentAddress() })}`}
              data-leave
            >
              Sign in with {provider}
            </a>
            <p class="muted">Or with an API key:</p>
          </>
        )}
        <p class="muted">
          This server requires an API key: one that its administrator gave you, or the part after the second colon of an
          entry in its <code>CRAWLWAY_API_KEYS</code>.
        </p>
        <div class="field">
          <label for="key">API key</label>
          <input
            ref={field}
            id="key"
            type="password"
            autocomplete="current-password"
            required
            value={typedKey}
            onInput={(event) => setTypedKey(event.currentTarget.value)}
          />
        </div>
        <label class="check">
          <input type="checkbox" checked={inBrowser} onChange={(event) => setInBrowser(event.currentTarget.checked)} />
          Remember it in this browser
        </label>
        <p class="hint">{inBrowser ? 'It is kept until you sign out.' : 'It is forgotten when you close this tab.'}</p>
        {!isSendable && (
          <p class="notice bad" role="alert">
            This is not a key: it contains characters that cannot be sent to the server, such as € or Greek letters.
          </p>
        )}
        {wrongKey && isSendable && (
          <p class="notice bad" role="alert">
            The server does not recognize this key.
          </p>
        )}
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
