using System.Globalization;
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
    where TItem : new()
{
    public override string Allowed => format.Allowed;

    public override string Default => format.ToText(get(new TItem()));

    public override SettingShape Shape => format.Shape;

    public override IEnumerable<SettingFailure> Read(NumaOptions options, IConfigurationSection key, int index)
    {
        var item = ConfigurationPath.GetSectionKey(ConfigurationPath.GetParentPath(key.Path)!);
        if (!format.TryRead(key, PathOf(item), out var value, out var failure))
        {
            return failure is null ? [] : [failure];
        }

        var items = list(options);
        while (items.Count <= index)
        {
            items.Add(new TItem());
        }

        set(items[index], value);
        return [];
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options) =>
        from item in list(options).Index()
        let value = get(item.Item)
        where !format.IsAllowed(value)
        let path = PathOf(item.Index.ToString(CultureInfo.InvariantCulture))
        select new SettingFailure(path, format.ToText(value), $"must be {Allowed}");

    private string PathOf(string item) => ConfigurationPath.Combine(listPath, item, name);
}
