namespace NumaSharp.Hosting.Plugins;

/// <summary>A plugin is not loaded, or is of no use.</summary>
/// <param name="key">The key of the item that is to blame.</param>
/// <param name="reason">Why, to follow the key and its value.</param>
/// <param name="cause">What the plugin threw, if it did.</param>
internal sealed class PluginRefusedException(string key, string reason, Exception? cause = null) : Exception(reason, cause)
{
    public string Key { get; } = key;

    public static PluginRefusedException Because(string reason, Exception? cause = null) =>
        new(nameof(NumaPluginOptions.Assembly), reason, cause);
}
