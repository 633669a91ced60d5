using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

/// <summary>A key that every item of a list has: <c>Plugins:*:Assembly</c>.</summary>
internal sealed class ItemSetting<TItem, T>(
    string listPath,
    string name,
    SettingFormat<T> format,
    Func<NumaOptions, IList<TItem>> list,
    Func<TItem, T> get,
    Action<TItem, T> set,
    string description)
    : Setting($"{listPath}:{AnyIndex}:{name}", description)
    where TItem : IConfiguredItem, new()
{
    public override string Allowed => format.Allowed;

    public override string Default => format.ToText(get(new TItem()));

    public override SettingShape Shape => format.Shape;

    public override IEnumerable<SettingFailure> Read(NumaOptions options, IConfigurationSection key)
    {
        var itemKey = ConfigurationPath.GetSectionKey(ConfigurationPath.GetParentPath(key.Path)!);
        if (!format.TryRead(key, PathOf(itemKey), out var value, out var failure))
        {
            return failure is null ? [] : [failure];
        }

        set(ItemOf(list(options), itemKey), value);
        return [];
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options) =>
        from item in list(options).Index()
        let value = get(item.Item)
        where !format.IsAllowed(value)
        let path = PathOf(item.Item.KeyAt(item.Index))
        select new SettingFailure(path, format.ToText(value), $"must be {Allowed}");

    private static TItem ItemOf(IList<TItem> items, string key)
    {
        if (items.FirstOrDefault(item => item.Key == key) is { } known)
        {
            return known;
        }

        var item = new TItem { Key = key };
        items.Add(item);
        return item;
    }

    private string PathOf(string item) => ConfigurationPath.Combine(listPath, item, name);
}
