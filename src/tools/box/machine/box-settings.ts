/** What a box has of the machine, and its limits. Paths are relative to the home directory unless they begin with a slash. */
export interface BoxSettings {
  /** Toolchains that commands may read and run. */
  readonly home: readonly string[]
  /** Caches that commands may fill: what they write is thrown away with the box. */
  readonly caches: readonly string[]
  /** Keys that no command sees, wherever they lie. */
  readonly keys: readonly string[]
  readonly limits: BoxLimits
}

export interface BoxLimits {
  readonly processes: number
  /** Bytes of one file. */
  readonly file_bytes: number
  /** Bytes of all that a command writes in its directory. */
  readonly written_bytes: number
  /** Files that a command writes in its directory. */
  readonly written_files: number
}

const GB = 1024 ** 3

export const BOX_DEFAULTS: BoxSettings = {
  home: [
    ...['.nvm', '.fnm', '.volta', '.asdf', '.mise', '.local/share/mise', '.bun', '.deno', '.local/share/fnm'],
    ...['.cargo', '.rustup', '.pyenv', '.rbenv', '.sdkman', '.jenv', '.goenv', 'go', '.local/bin', '.local/lib'],
    ...['.local/share/uv', '.local/pipx', '.gitconfig', '.config/git', '.editorconfig', '.tool-versions'],
  ],
  caches: ['.npm', '.cache', '.yarn', '.local/share/pnpm', '.pnpm-store', '.m2', '.gradle', '.nuget', '.composer'],
  keys: [
    ...[
      '.ssh',
      '.aws',
      '.azure',
      '.kube',
      '.docker',
      '.gnupg',
      '.password-store',
      '.netrc',
      '.npmrc',
      '.pypirc',
      '.pgpass',
    ],
    ...['.git-credentials', '.config/git/credentials', '.config/gh', '.config/hub', '.config/gcloud', '.config/op'],
    ...[
      '.config/holdpoint',
      '.local/state/holdpoint',
      '.local/share/holdpoint',
      '.config/doctl',
      '.config/configstore',
    ],
    ...[
      '.cargo/credentials',
      '.cargo/credentials.toml',
      '.gem/credentials',
      '.m2/settings.xml',
      '.m2/settings-security.xml',
    ],
    ...[
      '.gradle/gradle.properties',
      '.composer/auth.json',
      '.nuget/NuGet',
      '.terraform.d',
      '.vault-token',
      '.yarnrc.yml',
    ],
    ...['.claude', '.claude.json', '.codex', '.gemini', '.config/opencode', '.local/share/opencode', '.mozilla'],
    ...['.config/google-chrome', '.config/chromium', '.local/share/keyrings', '.bash_history', '.zsh_history'],
    ...[
      '/etc/shadow',
      '/etc/shadow-',
      '/etc/gshadow',
      '/etc/gshadow-',
      '/etc/sudoers',
      '/etc/sudoers.d',
      '/etc/ssl/private',
    ],
    ...['/etc/ssh', '/etc/krb5.keytab'],
  ],
  limits: { processes: 512, file_bytes: 2 * GB, written_bytes: 5 * GB, written_files: 100_000 },
}
