/** Whether commands can run in a box here, and how to get one. */
import { existsSync, readFileSync } from 'node:fs'
import { type BoxHere, boxHere } from '../../compose/box-here.ts'
import { type Finding, ok, warn } from './finding.ts'

type Asked = Parameters<typeof boxHere>[0]

export async function checkBox(options: Asked): Promise<Finding> {
  return boxFinding(await boxHere(options), process.platform)
}

export function boxFinding(box: BoxHere, platform: string, system: SystemFacts = systemFacts()): Finding {
  if (box.state === 'off') return ok('box', `switched off here: ${ASKS}`)
  if (box.state === 'there')
    return ok('box', `commands can run in one, by ${box.programs.join(', ')}; its files lie in ${box.directory}`)
  const message = `none: ${box.why}. ${ASKS[0]?.toUpperCase()}${ASKS.slice(1)}`
  return platform === 'linux' ? warn('box', message, wayToBox(box.why, system)) : ok('box', message)
}

const ASKS = 'people are asked about a command that the policy wants in a box'

/** What forbids namespaces here. */
export interface SystemFacts {
  readonly isContainer: boolean
  /** Ubuntu since 23.10. */
  readonly isRestrictedByAppArmor: boolean
}

function systemFacts(): SystemFacts {
  return {
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    isRestrictedByAppArmor: settingOf('kernel/apparmor_restrict_unprivileged_userns') === '1',
  }
}

function settingOf(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim()
  } catch {
    return null
  }
}

const PACKAGES =
  'Install it: `apt install bubblewrap` on Debian and Ubuntu, `dnf install bubblewrap` on Fedora, ' +
  '`apk add bubblewrap util-linux mount` on Alpine.'
const CONTAINER =
  'Start the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`, or with a seccomp ' +
  'profile that permits unshare, clone, mount, umount2 and pivot_root. As root it also needs `--cap-add SYS_ADMIN`.'
const APPARMOR =
  'Ubuntu restricts user namespaces: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or give ' +
  'bwrap and unshare AppArmor profiles that permit `userns`.'
const NAMESPACES =
  'Permit user namespaces: `sudo sysctl -w user.max_user_namespaces=10000`, and on older Debian also ' +
  '`kernel.unprivileged_userns_clone=1`.'

function wayToBox(why: string, { isContainer, isRestrictedByAppArmor }: SystemFacts): string {
  if (why.includes('not installed')) return PACKAGES
  if (isContainer) return CONTAINER
  return isRestrictedByAppArmor ? APPARMOR : NAMESPACES
}
