/** The command line by which a command begins in its box. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { BoxLimits } from '../machine/box-settings.ts'
import type { BoxPrograms } from '../machine/machine.ts'

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The options of bubblewrap, which reads them from descriptor 3. */
  readonly options: string
  /** A filter of system calls, from descriptor 4; `null` for none. */
  readonly filter: Uint8Array | null
}

/** An overlay by names in the directory of its call, so that mounts name no path. */
export interface Overlay {
  readonly lower: string
  readonly upper: string
  readonly work: string
  readonly view: string
}

export const PROJECT: Overlay = { lower: 'lower', upper: 'upper', work: 'work', view: 'view' }

/** Makes the directories of one more overlay over `path`. */
export function addOverlay(root: string, name: string, path: string): Overlay {
  const overlay = { lower: `${name}-lower`, upper: `${name}-upper`, work: `${name}-work`, view: `${name}-view` }
  for (const directory of [overlay.upper, overlay.work, overlay.view]) mkdirSync(join(root, directory))
  symlinkSync(path, join(root, overlay.lower))
  return overlay
}

/** In a mount namespace of its own: overlays first, then the program that takes the place of the shell. */
const BEGIN =
  'cd "$1" || exit; m=$2; n=$3; shift 3; while [ "$n" -gt 0 ]; do "$m" -n -t overlay -o "$1" overlay "$2" || exit; shift 2; n=$((n-1)); done; unset PWD OLDPWD; exec "$@"'

/**
 * A box ends with the process that began it, however that ends: then nobody holds the other end of this descriptor. As the
 * first process of its namespace the shell has no others around it.
 */
export const HELD = 6
const WATCH = `[ $$ = 1 ] && { ( read x; kill -9 -1 ) <&${HELD} >/dev/null 2>&1 & exec ${HELD}<&-; }; `

/** Arguments of `unshare` that mount overlays in `root` and then run `then`. */
export function withOverlays(
  { mount, unshareArguments, overlayOptions }: BoxPrograms,
  {
    root,
    overlays,
    isHeld = false,
  }: { readonly root: string; readonly overlays: readonly Overlay[]; readonly isHeld?: boolean },
  then: readonly string[],
): readonly string[] {
  const mounts = overlays.flatMap(({ lower, upper, work, view }) => [
    `lowerdir=${lower},upperdir=${upper},workdir=${work}${overlayOptions}`,
    view,
  ])
  return [
    ...unshareArguments,
    '--',
    '/bin/sh',
    '-c',
    isHeld ? `${WATCH}${BEGIN}` : BEGIN,
    'sh',
    root,
    mount,
    String(overlays.length),
    ...mounts,
    ...then,
  ]
}

const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try']
const RIGHTS = ['--cap-drop', 'ALL', '--die-with-parent']

/** The options of bubblewrap come by a descriptor: pid 1 of the box shows its own command line. */
export function bwrapCommand(
  { bwrap }: BoxPrograms,
  { hasNetwork, hasFilter }: { readonly hasNetwork: boolean; readonly hasFilter: boolean },
  command: readonly string[],
): readonly string[] {
  const network = hasNetwork ? [] : ['--unshare-net']
  const filter = hasFilter ? ['--seccomp', '4'] : []
  return [bwrap, ...NAMESPACES, ...owner(), ...network, ...RIGHTS, ...filter, '--args', '3', '--', ...command]
}

function owner(): readonly string[] {
  return ['--uid', String(process.getuid?.() ?? 0), '--gid', String(process.getgid?.() ?? 0)]
}

/** The descriptor on which a command writes once its box is there. */
export const BEGUN = 5

/** Bash begins a command within its limits. */
export function limited(limits: BoxLimits, command: string): readonly string[] {
  const blocks = Math.floor(limits.file_bytes / 1024)
  const begin = `echo >&${BEGUN}; exec ${BEGUN}>&-; ulimit -f ${blocks}; ulimit -u ${limits.processes} 2>/dev/null; ulimit -c 0; exec /bin/bash -c -- "$0"`
  return ['/bin/bash', '-c', begin, command]
}
