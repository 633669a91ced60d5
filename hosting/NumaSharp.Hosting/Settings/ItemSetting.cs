namespace NumaSharp.Hosting.Configuration;

/// <summary>A key of every item of a list: <c>Plugins:*:Assembly</c>.</summary>
internal sealed class ItemSetting<TItem, T>(
    string listPath,
    string name,
    SettingFormat<T> format,
    Func<NumaOptions, IList<TItem>> list,
    Func<TItem, T> get,
    Action<TItem, T> set,
    string description)
    : MemberSetting<TItem, T>(listPath, AnyIndex, name, format, get, set, description)
    where TItem : IConfiguredItem, new()
{
    protected override IEnumerable<KeyValuePair<string, TItem>> ItemsOf(NumaOptions options) =>
        IConfiguredItem.WithKeys(list(options));

    protected override TItem ItemOf(NumaOptions options, string section)
    {
        var items = list(options);
        if (items.FirstOrDefault(item => item.Key == section) is { } known)
        {
            return known;
        }

        var item = new TItem { Key = section };
        items.Add(item);
        return item;
    }
}
