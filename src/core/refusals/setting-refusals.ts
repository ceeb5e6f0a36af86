import { refused } from '../errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const settingRefusals = {
  invalidPolicy: (source: string, path: string, problem: string) => refused('invalid_policy', `The policy in ${source} cannot be used: ${path} ${problem}.`,
    'Correct the policy; nothing was run.'),
  sinceAfterUntil: () => refused('invalid_arguments', '`since` of a report is not before its `until`.', 'Give the earlier time as `since`.'),
  noPatterns: () => refused('invalid_arguments', '`match` of audit.replay is not argument names with a pattern each.',
    'Write it as { "command": "git status*" }.'),
  agentCannotAddToken: (by: string) => refused('agent_cannot_add_token', `${by} is an agent, and only people say who may use the server. Nothing was changed.`,
    'Do it outside of the run of an agent.'),
  unusableName: (name: string) => refused('invalid_arguments', `${JSON.stringify(name)} cannot be the name of a token.`,
    'Use letters, digits, spaces and . _ - + @ inside, at most 100, such as `ana` or `ana@example.com`.'),
  nameLooksAlike: (shown: readonly string[]) => refused('name_looks_alike', `${shown.join(' and ')} read as one name, and the second has a token.`,
    'Give the name as it is there, or another one. Nothing was added.'),
  roleTooLow: (name: string, role: string, what: string, needed: string) => refused('role_not_sufficient', `The token of ${name} has the role ${role}, and ${what} takes the role ${needed}.`,
    'Nothing was done. Ask for a token with that role.'),
  grantBeyondRole: (name: string, role: string) => refused('role_not_sufficient', `The token of ${name} has the role ${role}, and a grant for the whole project takes the role operator. Nothing was recorded.`,
    'Grant it for the run or the thread, or approve this call alone.'),
  grantOfOthers: (name: string, role: string) => refused('role_not_sufficient', `The token of ${name} has the role ${role}, and to revoke a grant that ${name} did not give takes the role admin. Nothing was changed.`,
    'Ask an admin to revoke it.'),
  tokenExpired: (at: string) => refused('invalid_arguments', `The token would have expired at ${at} already. Nothing was added.`,
    'Give a time that is still to come.'),
}
