using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

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
