/** The variables of a command in a box: none that is a key, or that leads to a socket of the person. */

type Environment = Readonly<Record<string, string | undefined>>

const KEY_NAMES =
  /(?:^|_)(?:API_?KEY|KEY_ID|ACCESS_KEY|PRIVATE_KEY|SECRETS?|SECRET_KEY|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|AUTH|AUTHTOKEN|COOKIE|DSN|WEBHOOK_URL)(?:_|$)|(?:^|_)(?:apikey|secretkey|accesskey)(?:_|$)/i

const OF_THE_PERSON: ReadonlySet<string> = new Set([
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY'],
  ...['WAYLAND_DISPLAY', 'XAUTHORITY', 'DOCKER_HOST', 'CONTAINER_HOST', 'KUBECONFIG', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ...['HOLDPOINT_STORE', 'HOLDPOINT_HOST', 'PGPASSFILE', 'NETRC', 'TMUX', 'STY', 'OLDPWD', 'PWD'],
])

/** Addresses with a name and a password in them, and what keys look like. */
const KEY_VALUES =
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@|^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|ASIA|AIza|npm_|hf_)[-_A-Za-z0-9]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY-----/

export function boxEnvironment(given: Environment): Environment {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => mayPass(name, value ?? '')))
}

function mayPass(name: string, value: string): boolean {
  return !OF_THE_PERSON.has(name) && !name.startsWith('AWS_') && !KEY_NAMES.test(name) && !KEY_VALUES.test(value)
}

/** Variables by which programs take code from elsewhere. */
const LOADS_CODE = /^(?:LD_|BASH_|GCONV_PATH$|LOCPATH$|NLSPATH$|ENV$|SHELLOPTS$|BASHOPTS$|PS4$|GLIBC_TUNABLES$|MALLOC_)/

export interface SplitEnvironment {
  /** For the programs of the system that build the box. */
  readonly outside: Environment
  /** For the command alone. */
  readonly inside: Readonly<Record<string, string>>
}

/** What loads code works in the box, and not in the programs that build it. */
export function splitEnvironment(environment: Environment): SplitEnvironment {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    outside: Object.fromEntries(set.filter(([name]) => !LOADS_CODE.test(name))),
    inside: Object.fromEntries(set.filter(([name]) => LOADS_CODE.test(name))),
  }
}

/** What commands get in a box beside their environment. */
export const IN_BOX: Environment = {
  ...{ GIT_OPTIONAL_LOCKS: '0', TMPDIR: '/tmp', HOLDPOINT_BOX: '1' },
  // A look for news is no reason to ask a person about the network.
  ...{ DO_NOT_TRACK: '1', NO_UPDATE_NOTIFIER: '1', npm_config_update_notifier: 'false', npm_config_fund: 'false' },
  ...{ NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' },
  ...{ PIP_DISABLE_PIP_VERSION_CHECK: '1', CHECKPOINT_DISABLE: '1', HOMEBREW_NO_ANALYTICS: '1' },
}
