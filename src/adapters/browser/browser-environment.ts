/** A browser runs untrusted scripts: keys and passwords in the server's environment must not reach its processes. */
const ALLOWED_VARIABLES =
  /^(?:PATH|HOME|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|FONTCONFIG_\w+|XDG_\w+|CHROME_\w+|SystemRoot|windir|SystemDrive|ProgramFiles(?:\(x86\))?|ProgramData|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|COMSPEC)$/i;

/** Selects the variables that a browser needs to start and to find its fonts and folders. */
export const createBrowserEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => ALLOWED_VARIABLES.test(entry[0]) && entry[1] !== undefined,
    ),
  );
