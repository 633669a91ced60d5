namespace NumaSharp.Hosting.Plugins;

/// <summary>A plugin cannot be loaded, or is not usable.</summary>
/// <param name="key">The key of the item that caused it.</param>
/// <param name="reason">The reason, to follow the key and its value.</param>
/// <param name="cause">The plugin's exception, if any.</param>
internal sealed class PluginRefusedException(string key, string reason, Exception? cause = null) : Exception(reason, cause)
{
    public string Key { get; } = key;

    public static PluginRefusedException Because(string reason, Exception? cause = null) =>
        new(nameof(NumaPluginOptions.Assembly), reason, cause);
}
