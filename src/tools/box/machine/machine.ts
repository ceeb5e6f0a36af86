/** Whether this machine can hold commands in a box, and with which programs. */
import { type ExecFileException, execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Programs of the system. A project's PATH names none of them. */
const SYSTEM_DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'] as const

export interface BoxPrograms {
  readonly bwrap: string
  readonly unshare: string
  readonly mount: string
  /** Arguments of `unshare` for a mount namespace in which overlays may be mounted. */
  readonly unshareArguments: readonly string[]
  /** Options that an overlay needs there. */
  readonly overlayOptions: string
}

/** A machine without a box has the reason as a sentence. */
export type BoxMachine =
  | { readonly programs: BoxPrograms; readonly why: null }
  | { readonly programs: null; readonly why: string }

let known: Promise<BoxMachine> | null = null

/** Tried once in a process. */
export function boxMachine(): Promise<BoxMachine> {
  known ??= tryMachine()
  return known
}

async function tryMachine(): Promise<BoxMachine> {
  if (process.platform !== 'linux') return none(`boxes need Linux, and this is ${process.platform}`)
  const [bwrap, unshare, mount] = ['bwrap', 'unshare', 'mount'].map(systemProgram)
  if (!bwrap) return none('bubblewrap is not installed (the package is called bubblewrap)')
  if (!unshare || !mount) return none('unshare and mount are not installed (the package is called util-linux)')
  const isRoot = process.geteuid?.() === 0
  const ways = [...(isRoot ? [AS_ROOT] : []), AS_USER]
  let problem = ''
  for (const way of ways) {
    const programs = { bwrap, unshare, mount, ...way }
    const fault = await faultOf(programs)
    if (fault === null) return { programs, why: null }
    problem = fault
  }
  return none(`the system does not let a command have namespaces of its own: ${problem}`)
}

/** It ends once its last process is gone, so nothing writes while an effect is read. */
const NAMESPACES = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
/** A kernel may have other defaults: then a renamed directory or a new mode would be there without its content. */
const WHOLE_COPIES = ',redirect_dir=nofollow,metacopy=off,index=off'
const AS_ROOT = { unshareArguments: NAMESPACES, overlayOptions: WHOLE_COPIES }
const AS_USER = {
  unshareArguments: ['--user', '--map-root-user', ...NAMESPACES],
  overlayOptions: `${WHOLE_COPIES},userxattr`,
}

function none(why: string): BoxMachine {
  return { programs: null, why }
}

function systemProgram(name: string): string | undefined {
  return SYSTEM_DIRECTORIES.map(directory => join(directory, name)).find(path => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Mounts an overlay, and a box over it, for the shortest of commands. */
const TRIAL = [
  'd=$(mktemp -d) && trap "rmdir $d" EXIT && "$0" -n -t tmpfs tmpfs "$d" && cd "$d" && mkdir l u w m &&',
  '"$0" -n -t overlay -o "lowerdir=l,upperdir=u,workdir=w$2" overlay m &&',
  '"$1" --unshare-user --unshare-pid --unshare-ipc --unshare-net --cap-drop ALL --ro-bind / / --proc /proc true; s=$?;',
  'cd /; "$3" "$d"; exit $s',
].join(' ')

function faultOf({ bwrap, unshare, mount, unshareArguments, overlayOptions }: BoxPrograms): Promise<string | null> {
  const args = [
    ...unshareArguments,
    '--',
    '/bin/sh',
    '-c',
    TRIAL,
    mount,
    bwrap,
    overlayOptions,
    join(mount, '../umount'),
  ]
  const env = { PATH: SYSTEM_DIRECTORIES.join(':') }
  return new Promise(resolve => {
    execFile(unshare, args, { env, timeout: 10_000 }, (fault: ExecFileException | null, _, stderr) => {
      const line = stderr.trim().split('\n')[0] || fault?.message.split('\n')[0] || 'no reason is given'
      resolve(fault === null ? null : line)
    })
  })
}
