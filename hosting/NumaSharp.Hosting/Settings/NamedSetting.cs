namespace NumaSharp.Hosting.Configuration;

/// <summary>A key of every section of a group; the application names the sections: <c>Udp:&lt;name&gt;:Port</c>.</summary>
internal sealed class NamedSetting<TItem, T>(
    string group,
    string name,
    SettingFormat<T> format,
    Func<NumaOptions, IDictionary<string, TItem>> items,
    Func<TItem, T> get,
    Action<TItem, T> set,
    string description)
    : MemberSetting<TItem, T>(group, AnyName, name, format, get, set, description)
    where TItem : new()
{
    protected override IEnumerable<KeyValuePair<string, TItem>> ItemsOf(NumaOptions options) =>
        items(options).OrderBy(static item => item.Key, StringComparer.Ordinal);

    protected override TItem ItemOf(NumaOptions options, string section)
    {
        if (!items(options).TryGetValue(section, out var item))
        {
            items(options).Add(section, item = new TItem());
        }

        return item;
    }
}
