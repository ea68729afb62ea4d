import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { setKey } from '../api/client.js';

export function SignIn({ wrongKey, onSignedIn }: { wrongKey: boolean; onSignedIn: () => void }): JSX.Element {
  const [typed, setTyped] = useState('');
  const signIn = (event: Event): void => {
    event.preventDefault();
    setKey(typed.trim());
    onSignedIn();
  };
  return (
    <main class="sign-in">
      <form class="panel stack" onSubmit={signIn}>
        <h1>Crawlway</h1>
        <p class="muted">
          This server wants an API key. It stays in this browser tab and is forgotten when you close it.
        </p>
        <div class="field">
          <label for="key">API key</label>
          <input
            id="key"
            type="password"
            autocomplete="current-password"
            required
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
        {wrongKey && (
          <p class="notice bad" role="alert">
            The server does not know this key. Keys are in CRAWLWAY_API_KEYS of the server.
          </p>
        )}
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
