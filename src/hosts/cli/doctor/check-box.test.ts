import { expect, test } from 'vitest'
import { boxFinding } from './check-box.ts'

const PLAIN = { isContainer: false, isRestrictedByAppArmor: false }
const none = (why: string) => ({ state: 'none', why }) as const
const FORBIDDEN = none('the system does not let a command have namespaces of its own: unshare failed')

test.each([
  ['a missing package', none('bubblewrap is not installed (the package is called bubblewrap)'), PLAIN, 'apt install'],
  ['a container', FORBIDDEN, { ...PLAIN, isContainer: true }, 'seccomp=unconfined'],
  [
    'AppArmor of Ubuntu',
    FORBIDDEN,
    { ...PLAIN, isRestrictedByAppArmor: true },
    'apparmor_restrict_unprivileged_userns',
  ],
  ['namespaces that are off', FORBIDDEN, PLAIN, 'user.max_user_namespaces'],
])('doctor tells the way to a box past %s', (_what, box, system, way) => {
  expect(boxFinding(box, 'linux', system)).toMatchObject({ status: 'warn', hint: expect.stringContaining(way) })
})

test('where no box can be had, doctor only tells so', () => {
  const box = none('boxes need Linux, and this is darwin')
  expect(boxFinding(box, 'darwin', PLAIN)).toMatchObject({ status: 'ok', hint: null })
  expect(boxFinding({ state: 'off' }, 'linux', PLAIN)).toMatchObject({ status: 'ok', hint: null })
})
