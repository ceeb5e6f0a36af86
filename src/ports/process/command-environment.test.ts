import { expect, test } from 'vitest'
import { commandEnvironment, PASS_ALL, unattended, withheld } from './command-environment.ts'

const ALL = {
  ...{ PATH: '/bin', LC_ALL: 'C', ANTHROPIC_API_KEY: 'k', GITHUB_TOKEN: 't', GITHUB_SHA: 's', LONG_PATH: 'x' },
  ...{ HOLDPOINT_MODEL: 'a/b', HOLDPOINT_BUNDLE_KEY: 'b', HOLDPOINT_MCP_TOKEN: 'm', HOLDPOINT_LATER_SECRET: 'l' },
}

test('commands inherit every variable but those that are for Holdpoint alone, also future ones', () => {
  const kept = Object.keys(commandEnvironment(ALL, PASS_ALL))
  expect(kept).toEqual([
    'PATH',
    'LC_ALL',
    'ANTHROPIC_API_KEY',
    'GITHUB_TOKEN',
    'GITHUB_SHA',
    'LONG_PATH',
    'HOLDPOINT_MODEL',
  ])
})

test('if a project names what is passed on, commands inherit that and the usual variables', () => {
  expect(Object.keys(commandEnvironment(ALL, { ...PASS_ALL, only: [] }))).toEqual(['PATH', 'LC_ALL', 'HOLDPOINT_MODEL'])
  const some = Object.keys(commandEnvironment(ALL, { ...PASS_ALL, only: ['GITHUB_*', 'HOLDPOINT_*'] }))
  expect(some).toEqual(['PATH', 'LC_ALL', 'GITHUB_TOKEN', 'GITHUB_SHA', 'HOLDPOINT_MODEL'])
})

test('what is withheld is all that is not inherited', () => {
  expect(Object.keys(withheld(ALL, { ...PASS_ALL, only: ['GITHUB_*'] }))).toEqual([
    ...['ANTHROPIC_API_KEY', 'LONG_PATH', 'HOLDPOINT_BUNDLE_KEY', 'HOLDPOINT_MCP_TOKEN', 'HOLDPOINT_LATER_SECRET'],
  ])
})

test('P1: a secret that the settings name is inherited by no command, also if a glob of the project fits its name', () => {
  for (const only of [null, ['GITHUB_*']])
    expect(Object.keys(commandEnvironment(ALL, { only, never: ['GITHUB_TOKEN'] }))).not.toContain('GITHUB_TOKEN')
})

test('an editor, a pager or a question of git keeps no command waiting, unless the project passes on its own', () => {
  const quiet = { GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', GIT_PAGER: 'cat' }
  const own = { GIT_EDITOR: 'vim', PAGER: 'less' }
  expect(unattended(own, PASS_ALL)).toEqual(quiet)
  const { GIT_EDITOR: _, ...others } = quiet
  expect(unattended(own, { ...PASS_ALL, only: ['GIT_*'] })).toEqual(others)
})
