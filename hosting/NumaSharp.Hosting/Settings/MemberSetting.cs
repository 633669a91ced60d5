using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Settings;

/// <summary>A key of every section of a group, whatever the sections' names.</summary>
internal abstract class MemberSetting<TItem, T>(
    string group,
    string any,
    string name,
    SettingFormat<T> format,
    Func<TItem, T> get,
    Action<TItem, T> set,
    string description)
    : Setting($"{group}:{any}:{name}", description)
    where TItem : new()
{
    public override string Allowed => format.Allowed;

    public override string Default => format.ToText(get(new TItem()));

    public override SettingShape Shape => format.Shape;

    public override IEnumerable<SettingFailure> Read(NumaOptions options, WrittenKey key)
    {
        var section = ConfigurationPath.GetSectionKey(ConfigurationPath.GetParentPath(key.Path)!);

        // Also if the value cannot be read: code that changes the item must not fail before the value is reported.
        var item = ItemOf(options, section);
        if (!format.TryRead(key, PathOf(section), out var value, out var failure))
        {
            return failure is null ? [] : [failure];
        }

        set(item, value);
        return [];
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options) =>
        from item in ItemsOf(options)
        let value = get(item.Value)
        where !format.IsAllowed(value)
        select new SettingFailure(PathOf(item.Key), format.ToText(value), $"must be {Allowed}");

    public override IEnumerable<KeyValuePair<string, string>> TextsOf(NumaOptions options) =>
        ItemsOf(options).Select(item => KeyValuePair.Create(PathOf(item.Key), format.ToText(get(item.Value))));

    /// <summary>The existing items, with the names of their sections.</summary>
    protected abstract IEnumerable<KeyValuePair<string, TItem>> ItemsOf(NumaOptions options);

    /// <summary>The item of a section, created when its first key is read.</summary>
    protected abstract TItem ItemOf(NumaOptions options, string section);

    private string PathOf(string item) => ConfigurationPath.Combine(group, item, name);
}

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

/// <summary>An item of a list that knows its key, which differs from its position if keys are left out.</summary>
internal interface IConfiguredItem
{
    /// <summary>The key below the list, or <see langword="null"/> for an item added by code.</summary>
    string? Key { get; set; }

    /// <summary>
    /// The items with their keys, each of which is there once. An item added by code has its position, or the next number that
    /// no other item has.
    /// </summary>
    static IReadOnlyList<KeyValuePair<string, TItem>> WithKeys<TItem>(IEnumerable<TItem> items)
        where TItem : IConfiguredItem
    {
        TItem[] all = [.. items];
        var taken = all.Select(static item => item.Key).OfType<string>().ToHashSet(StringComparer.Ordinal);
        return [.. all.Select((item, position) => KeyValuePair.Create(item.Key ?? TakeFrom(position), item))];

        string TakeFrom(int number)
        {
            string key;
            do
            {
                key = number++.ToString(CultureInfo.InvariantCulture);
            }
            while (!taken.Add(key));

            return key;
        }
    }
}
