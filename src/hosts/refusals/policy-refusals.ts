import { refused } from '../../core/errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const policyRefusals = {
  agentCannotTrust: (agent: string) => refused('agent_cannot_trust', `${agent} may not trust what a project starts. Nothing was changed.`,
    'A person must do it, outside the commands of agents.'),
  notTrusted: (directory: string) => refused('project_not_trusted', `What ${directory} starts is not trusted: it was not confirmed.`,
    'Run `holdpoint trust` in a terminal and answer yes, or `holdpoint trust --yes` in a pipeline.', { details: { directory } }),
  invalidPlace: (text: string) => refused('invalid_arguments', `${JSON.stringify(text)} names no container or sandbox.`,
    'Run `holdpoint trust --here` inside of it: it tells the name.'),
  placeNotTrusted: (place: string) => refused('place_not_trusted', 'This container or sandbox cannot trust itself. Nothing was trusted.',
    `Where people decide already, run \`holdpoint trust --place ${place}\`.`, { details: { place } }),
  agentCannotTrustPlace: (agent: string) => refused('agent_cannot_trust', `${agent} may not say from where people decide. Nothing was trusted.`,
    'A person must do it, outside the commands of agents.'),
  notConfirmed: () => refused('place_not_trusted', 'It was not confirmed. Nothing was trusted.', 'Run it in a terminal and answer yes, or add --yes.'),
  noPlaces: () => refused('place_not_trusted', 'This system has no namespaces, so there is no place to trust.',
    'On it, people decide from wherever no agent started them.'),
  grantNotNamed: (flag: string) => refused('invalid_arguments', `--${flag} says more of what is always allowed, but nothing is.`,
    'Add --always NAME, with a name by which people will know the grant.'),
  invalidMatch: (problem: string) => refused('invalid_arguments', problem,
    "Write --match ARG=GLOB, once for each argument, like --match 'command=git status*'."),
  flagOfGrantsAdd: (flag: string) => refused('invalid_arguments', `--${flag} is for \`grants add\`, not for the list.`),
  flagWithRevoke: (flag: string) => refused('invalid_arguments', `--${flag} is not for revoke, which takes one grant.`),
  unknownProduct: (name: string, known: readonly string[]) => refused('invalid_arguments', name === '' ? 'policy import takes the name of a product.' : `Rules are not read from ${JSON.stringify(name)}.`,
    `Usage: holdpoint policy import ${known.join('|')} [FILE…]`),
  nothingToImport: (product: string, files: readonly string[]) => refused('unreadable_file', `There are no settings of ${product} in your home or in this project.`,
    `Looked for ${files.join(', ')}. Name a file: \`holdpoint policy import ${product} FILE\`.`),
  unknownTool: (tool: string) => refused('unknown_tool', `There is no tool ${JSON.stringify(tool)} here.`),
}
