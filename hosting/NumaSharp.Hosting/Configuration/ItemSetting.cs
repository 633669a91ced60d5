using System.Globalization;

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

    public override bool TryApply(NumaOptions options, string text, int index)
    {
        if (!format.TryParse(text.Trim(), out var value) || !format.IsAllowed(value))
        {
            return false;
        }

        var items = list(options);
        while (items.Count <= index)
        {
            items.Add(new TItem());
        }

        set(items[index], value);
        return true;
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options) =>
        from item in list(options).Index()
        let value = get(item.Item)
        where !format.IsAllowed(value)
        select new SettingFailure(
            string.Create(CultureInfo.InvariantCulture, $"{listPath}:{item.Index}:{name}"),
            format.ToText(value),
            $"must be {Allowed}");
}
