import type { ChannelSettings, NotifySettings } from './notify-settings.ts'
import type { SignInSettings } from './sign-in-settings.ts'

interface PeopleSettings {
  readonly notify: NotifySettings | null
  readonly sign_in: SignInSettings | null
}

/** The variables that hold the secrets of a project's channels and of its sign-in. No command of an agent may have them. */
export function secretVariables({ notify, sign_in }: PeopleSettings): readonly string[] {
  const ofSignIn = sign_in?.oidc?.client_secret_env
  return [...(notify ? channelSecrets(notify.channels) : []), ...(ofSignIn ? [ofSignIn] : [])]
}

export function channelSecrets({ webhook, slack, mail, github }: ChannelSettings): readonly string[] {
  const variables = [
    ...webhook.flatMap(({ secret_env }) => secret_env),
    ...[slack?.token_env, slack?.signing_secret_env, mail?.smtp_env, mail?.inbound_secret_env],
    ...[github?.token_env, github?.webhook_secret_env],
  ]
  return variables.flatMap(variable => variable ?? [])
}
