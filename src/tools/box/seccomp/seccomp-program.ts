import {
  ARCHITECTURES,
  type Architecture,
  CHECKED_CALLS,
  type CheckedCall,
  CLONE3,
  REFUSED_CALLS,
} from './system-calls.ts'

/**
 * A filter of system calls as `bwrap --seccomp FD` takes it: an array of `struct sock_filter` in the byte order of the
 * machine. It refuses what a command in a box does not need and a way out of it does; everything else is allowed.
 * `arch` is as in `process.arch` or `uname -m`; `null` if there is no table for it.
 */
export function seccompProgram(arch: string): Uint8Array | null {
  const machine = Object.hasOwn(ARCHITECTURES, arch) ? ARCHITECTURES[arch] : undefined
  return machine ? bytesOf(programFor(machine)) : null
}

type Place = 'kill' | 'missing' | 'refused' | 'allowed'

/** Jumps over `yes` or `no` instructions, or to a place at the end of the program. */
interface Instruction {
  readonly code: number
  readonly value: number
  readonly yes?: Place | number
  readonly no?: Place | number
}

/** `linux/bpf_common.h` */
const [LOAD, RETURN, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT] = [0x20, 0x06, 0x15, 0x35, 0x45]

/** Offsets in `struct seccomp_data`. The lower half of an argument is the first one on both machines. */
const [NUMBER, ARCH, ARGUMENTS] = [0, 4, 16]

/** What the kernel does, in `linux/seccomp.h`: kill the process, fail with ENOSYS or EPERM, allow. */
const ENDS: Readonly<Record<Place, number>> = {
  kill: 0x8000_0000,
  missing: 0x0005_0000 + 38,
  refused: 0x0005_0000 + 1,
  allowed: 0x7fff_0000,
}

function programFor({ audit, column, secondSet }: Architecture): readonly Instruction[] {
  const second: Instruction[] = secondSet === null ? [] : [{ code: IF_AT_LEAST, value: secondSet, yes: 'missing' }]
  return [
    { code: LOAD, value: ARCH },
    // A program of another architecture has other numbers.
    { code: IF_EQUAL, value: audit, no: 'kill' },
    { code: LOAD, value: NUMBER },
    ...second,
    { code: IF_EQUAL, value: CLONE3[column], yes: 'missing' },
    ...Object.values(REFUSED_CALLS).map(call => ({ code: IF_EQUAL, value: call[column], yes: 'refused' as const })),
    ...Object.values(CHECKED_CALLS).flatMap(call => checked(call, column)),
    { code: RETURN, value: ENDS.allowed },
  ]
}

function checked({ numbers, argument, refuses }: CheckedCall, column: 0 | 1): Instruction[] {
  const checks = [{ code: LOAD, value: ARGUMENTS + 8 * argument }, ...argumentChecks(refuses)]
  return [{ code: IF_EQUAL, value: numbers[column], no: checks.length }, ...checks]
}

/** The last check decides, so that the argument is never read as the number of a call. */
function argumentChecks(refuses: CheckedCall['refuses']): Instruction[] {
  if ('bits' in refuses) return [{ code: IF_ANY_BIT, value: refuses.bits, yes: 'refused', no: 'allowed' }]
  const [found, values]: [Place, readonly number[]] =
    'values' in refuses ? ['refused', refuses.values] : ['allowed', refuses.allBut]
  const otherwise = found === 'refused' ? 'allowed' : 'refused'
  const last = values.length - 1
  return values.map((value, at) => ({ code: IF_EQUAL, value, yes: found, ...(at === last && { no: otherwise }) }))
}

function bytesOf(program: readonly Instruction[]): Uint8Array {
  const places = Object.keys(ENDS) as Place[]
  const whole = [...program, ...places.map(place => ({ code: RETURN, value: ENDS[place] }))]
  const bytes = new DataView(new ArrayBuffer(8 * whole.length))
  const over = (at: number, jump: Place | number = 0) =>
    typeof jump === 'number' ? jump : program.length + places.indexOf(jump) - at - 1
  for (const [at, { code, value, yes, no }] of (whole as readonly Instruction[]).entries()) {
    bytes.setUint16(8 * at, code, true)
    bytes.setUint8(8 * at + 2, shortJump(over(at, yes)))
    bytes.setUint8(8 * at + 3, shortJump(over(at, no)))
    bytes.setUint32(8 * at + 4, value, true)
  }
  return new Uint8Array(bytes.buffer)
}

/** A jump has one byte. A table that is too long for it must not wrap around to another place. */
function shortJump(over: number): number {
  if (over > 255) throw new RangeError(`the filter is too long: a jump over ${over} instructions`)
  return over
}
