using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

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
